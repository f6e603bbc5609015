//! Whether anybody of a process group is left. Only on Unix; a job object answers for itself.

use std::fs;

use nix::{
    sys::{
        signal::killpg,
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::Pid,
};

/// Whether anybody of the group runs, its leader aside, which must have been reaped. The dead do
/// not count, although they are members until they are reaped: nobody may ever do so, as in a
/// container whose first process does not care.
pub(crate) fn anybody(group: Pid) -> bool {
    let anybody = killpg(group, None).is_ok() && !only_the_dead(group);
    reap(group);
    anybody
}

/// Where this program is the one that orphans fall to, reaping them is on it.
fn reap(group: Pid) {
    let members = Pid::from_raw(-group.as_raw());
    while waitpid(members, Some(WaitPidFlag::WNOHANG)).is_ok_and(|status| status != WaitStatus::StillAlive) {}
}

/// What `/proc` says of the group's members; false where it says nothing.
fn only_the_dead(group: Pid) -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    let Ok(entries) = fs::read_dir("/proc") else { return false };
    let names = entries.flatten().map(|entry| entry.file_name());
    let processes = names.filter(|name| name.as_encoded_bytes().iter().all(u8::is_ascii_digit));
    let mut stats = processes.filter_map(|name| {
        let stat = fs::read(format!("/proc/{}/stat", name.to_str()?)).ok()?;
        parsed(&String::from_utf8_lossy(&stat))
    });
    let mut any = false;
    let dead = stats.all(|(state, of)| {
        any |= of == group.as_raw();
        of != group.as_raw() || matches!(state, 'Z' | 'X')
    });
    dead && any
}

/// State and process group of `7 (a name) S 1 7 …`; the name may hold anything, `) ` included.
fn parsed(stat: &str) -> Option<(char, i32)> {
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.chars().next()?, fields.nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::parsed;

    #[test]
    fn a_name_may_hold_anything() {
        for (stat, read) in [
            ("7 (sh) S 1 5 5 0", Some(('S', 5))),
            ("7 (a) Z 9 (b)) Z 1 6 5 0", Some(('Z', 6))),
            ("7 (\n) R 1 7", Some(('R', 7))),
            ("", None),
            ("7 (sh) S", None),
        ] {
            assert_eq!(parsed(stat), read, "{stat}");
        }
    }
}
