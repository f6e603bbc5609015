//! The machine this program runs on, as a value for the host. The only place that looks.

use std::{
    env,
    path::{Path, PathBuf},
};

use harness_hooks_core::Machine;

/// The machine this program runs on: whether it is Windows, its bash (`/bin/bash`; on Windows that
/// of Git), the user's shell (`$SHELL`), its PowerShell (`pwsh`, else `powershell`, as the PATH has
/// them), and the variables this program has, those that are no text aside.
pub fn machine() -> Machine {
    let shell = env::var_os("SHELL").filter(|shell| !shell.is_empty());
    let path = env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let variables =
        env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Machine::new()
        .windows(cfg!(windows))
        .bash(if cfg!(windows) { git_bash(&path, Path::is_file) } else { unix_bash() })
        .shell(shell.map(PathBuf::from))
        .powershell(powershell(&path, env::consts::EXE_SUFFIX, Path::is_file))
        .env(variables)
}

fn unix_bash() -> Option<PathBuf> {
    let bash = Path::new("/bin/bash");
    bash.is_file().then(|| bash.to_path_buf())
}

/// The one that knows more, wherever on the PATH it is; else the one that comes with Windows.
fn powershell(path: &[PathBuf], suffix: &str, is_file: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut candidates = ["pwsh", "powershell"].into_iter().flat_map(|name| {
        let name = format!("{name}{suffix}");
        path.iter().map(move |folder| folder.join(&name))
    });
    candidates.find(|file| is_file(file))
}

/// The bash that came with the git of the PATH. Not any `bash.exe`: that of Windows itself is
/// another system's, with other paths.
fn git_bash(path: &[PathBuf], is_file: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let git = path.iter().find(|folder| is_file(&folder.join("git.exe")))?;
    git.ancestors().skip(1).take(2).map(|root| root.join("bin").join("bash.exe")).find(|bash| is_file(bash))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    fn there(files: &'static [&'static str]) -> impl Fn(&Path) -> bool {
        move |path| files.iter().any(|file| Path::new(file) == path)
    }

    #[test]
    fn pwsh_is_taken_before_powershell() {
        let path = folders(&["/a", "/b"]);
        for (files, found) in [
            (&["/a/powershell", "/b/pwsh"] as &'static [_], Some("/b/pwsh")),
            (&["/a/powershell"], Some("/a/powershell")),
            (&["/b/pwsh", "/a/pwsh"], Some("/a/pwsh")),
            (&["/c/pwsh", "/a/pwsh.exe"], None),
        ] {
            assert_eq!(powershell(&path, "", there(files)), found.map(PathBuf::from), "{files:?}");
        }
        assert_eq!(powershell(&path, ".exe", there(&["/b/powershell.exe"])), Some("/b/powershell.exe".into()));
    }

    #[test]
    fn bash_on_windows_is_that_of_git() {
        let path = folders(&["/Windows/System32", "/Git/cmd"]);
        let wsl = "/Windows/System32/bash.exe";
        for (files, found) in [
            (vec![wsl, "/Git/cmd/git.exe", "/Git/bin/bash.exe"], Some("/Git/bin/bash.exe")),
            (vec![wsl, "/Git/cmd/git.exe"], None),
            (vec![wsl, "/Git/bin/bash.exe"], None),
        ] {
            let is_file = |file: &Path| files.iter().any(|known| Path::new(known) == file);
            assert_eq!(git_bash(&path, is_file), found.map(PathBuf::from), "{files:?}");
        }
        let deeper = folders(&["/Git/mingw64/bin"]);
        let files = there(&["/Git/mingw64/bin/git.exe", "/Git/bin/bash.exe"]);
        assert_eq!(git_bash(&deeper, files), Some("/Git/bin/bash.exe".into()));
    }
}
