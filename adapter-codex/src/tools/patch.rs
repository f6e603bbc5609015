//! The grammar of Codex's patches: neutral changes of files as the text of a patch, and that text,
//! rewritten by a hook, as a neutral change again. CDX-TOOL-03, CDX-TOOL-04, CDX-TOOL-10

use std::{
    collections::HashSet,
    fmt::{self, Write as _},
    path::{Path, PathBuf},
};

use harness_hooks_core::{Delete, Edit, Patch, Text, TextEdit, Tool, Write, object::Wrong};
use serde::{Serialize, Serializer};

use super::shown;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
/// What every line begins with that says something about a file.
const MARK: &str = "***";
/// What the line before a change of some lines begins with.
const CHUNK: &str = "@@";

/// What a patch does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Add,
    Update,
    Delete,
    /// The file gets this name.
    Move,
}

impl Change {
    const ALL: [Change; 4] = [Change::Add, Change::Update, Change::Delete, Change::Move];

    const fn mark(self) -> &'static str {
        match self {
            Change::Add => "*** Add File: ",
            Change::Update => "*** Update File: ",
            Change::Delete => "*** Delete File: ",
            Change::Move => "*** Move to: ",
        }
    }

    /// How a summary says it. CDX-TOOL-07
    const fn letter(self) -> char {
        match self {
            Change::Add => 'A',
            Change::Update | Change::Move => 'M',
            Change::Delete => 'D',
        }
    }

    const fn verb(self) -> &'static str {
        match self {
            Change::Add => "adds a file",
            Change::Update => "updates a file",
            Change::Delete => "deletes a file",
            Change::Move => "moves a file",
        }
    }

    /// What a line says is done to a file, and the file's name.
    fn of(line: &str) -> Option<(Change, &str)> {
        Change::ALL.into_iter().find_map(|change| Some((change, line.strip_prefix(change.mark())?.trim())))
    }
}

/// Where a line of a patch names a file, in order.
fn marks(patch: &str) -> impl Iterator<Item = (Change, &str)> {
    patch.split('\n').filter_map(Change::of)
}

/// The files a patch names, each once. CDX-READ-04
pub(super) fn paths(patch: &str) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    marks(patch).filter(|(_, name)| !name.is_empty() && seen.insert(*name)).map(|(_, name)| name.into()).collect()
}

/// What a call does to its one file.
fn change(tool: &Tool) -> Option<(Change, &Path)> {
    match tool {
        Tool::Write(write) => Some((Change::Add, &write.path)),
        Tool::Edit(edit) => Some((Change::Update, &edit.path)),
        Tool::Delete(delete) => Some((Change::Delete, &delete.path)),
        _ => None,
    }
}

/// The change a call makes, as the text of a patch.
pub(super) struct Command<'a> {
    pub(super) tool: &'a Tool,
    pub(super) last_line_end: bool,
}

impl Serialize for Command<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.tool {
            Tool::Patch(patch) => serializer.serialize_str(self.own(&patch.text)),
            _ if self.is_writable() => serializer.collect_str(self),
            _ => serializer.serialize_none(),
        }
    }
}

impl Command<'_> {
    /// The call's path is text.
    pub(super) fn is_writable(&self) -> bool {
        super::paths(self.tool).1.iter().all(|path| shown(path).is_some())
    }

    fn own<'t>(&self, text: &'t str) -> &'t str {
        if self.last_line_end { text } else { without_line_end(text) }
    }

    fn changes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((change, path)) = change(self.tool) else { return Ok(()) };
        writeln!(f, "{}{}", change.mark(), shown(path).unwrap_or_default())?;
        match self.tool {
            Tool::Write(write) => lines('+', &write.content, f),
            Tool::Edit(edit) => edit.edits.iter().try_for_each(|edit| {
                writeln!(f, "{CHUNK}")?;
                lines('-', &edit.old, f)?;
                lines('+', &edit.new, f)
            }),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Tool::Patch(patch) = self.tool {
            return f.write_str(self.own(&patch.text));
        }
        writeln!(f, "{BEGIN}")?;
        self.changes(f)?;
        f.write_str(END)?;
        f.write_str(if self.last_line_end { "\n" } else { "" })
    }
}

/// Each line behind a sign. That the last one has no end is not shown. CDX-TOOL-04
fn lines(sign: char, text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    text.split_terminator('\n').try_for_each(|line| {
        f.write_char(sign)?;
        f.write_str(line)?;
        f.write_char('\n')
    })
}

/// Without the line end at its end: one, even where there are several. CDX-TOOL-03
fn without_line_end(text: &str) -> &str {
    let Some(text) = text.strip_suffix('\n') else { return text };
    text.strip_suffix('\r').unwrap_or(text)
}

/// What the program says of a patch it applied. CDX-TOOL-07
pub(super) struct Summary<'a>(pub(super) &'a Tool);

impl Serialize for Summary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_writable() { serializer.collect_str(self) } else { serializer.serialize_none() }
    }
}

impl Summary<'_> {
    /// Every path in it is text.
    pub(super) fn is_writable(&self) -> bool {
        match self.0 {
            Tool::Patch(patch) if marks(&patch.text).next().is_none() => patch.paths.iter().all(|p| shown(p).is_some()),
            tool => super::paths(tool).1.iter().all(|path| shown(path).is_some()),
        }
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\n")?;
        let Tool::Patch(patch) = self.0 else {
            let file = change(self.0).map(|(change, path)| (change, shown(path).unwrap_or_default()));
            return file.map_or(Ok(()), |file| summed_up(file, f));
        };
        let mut files = marks(&patch.text).filter(|(change, _)| *change != Change::Move).peekable();
        if files.peek().is_some() {
            return files.try_for_each(|file| summed_up(file, f));
        }
        let mut known = patch.paths.iter().filter_map(|path| shown(path));
        known.try_for_each(|path| summed_up((Change::Update, path), f))
    }
}

fn summed_up((change, path): (Change, &str), f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "{} {path}", change.letter())
}

/// The change a rewritten patch makes, as a change of the same kind as the call's. CDX-TOOL-10
pub(super) fn rewritten(tool: &Tool, text: &str) -> Result<Tool, Wrong> {
    match tool {
        Tool::Write(own) => {
            let (path, body) = one_file(text, Change::Add, &own.path)?;
            Ok(Write::new(path, content(own, &body)?).into())
        }
        Tool::Edit(own) => {
            let (path, body) = one_file(text, Change::Update, &own.path)?;
            Ok(Edit::new(path, edits(own, &chunks(&body)?)?).into())
        }
        Tool::Delete(own) => {
            let (path, body) = one_file(text, Change::Delete, &own.path)?;
            let none = |line: &&str| wrong(format!("has {} below a file that it deletes", quoted(line)));
            body.first().map_or_else(|| Ok(Delete::new(path).into()), |line| Err(none(line)))
        }
        Tool::Patch(own) => patch(own, text).map(Tool::Patch),
        tool => Ok(tool.clone()),
    }
}

/// Any patch will do, and its files are those it names. A call in another grammar takes any text, of
/// which only the host knows the files.
fn patch(own: &Patch, text: &str) -> Result<Patch, Wrong> {
    if inside(text).is_some() {
        return Ok(Patch::new(text).paths(paths(text)));
    }
    if own.text.trim_start().starts_with(BEGIN) {
        return Err(no_patch());
    }
    Ok(Patch::new(text).paths(own.paths.clone()))
}

/// The lines between the first and the last of a patch; `None` if it is none.
fn inside(text: &str) -> Option<Vec<&str>> {
    let mut lines = text.trim().split('\n');
    lines.next().filter(|line| line.trim_end() == BEGIN)?;
    let mut lines: Vec<&str> = lines.collect();
    lines.pop().filter(|line| line.trim_end() == END)?;
    Some(lines)
}

/// The one file a patch changes in this way, and the lines that say how. White space around its name
/// is not its own, unless it is that of the call's path.
fn one_file<'t>(text: &'t str, wanted: Change, own: &Path) -> Result<(PathBuf, Vec<&'t str>), Wrong> {
    let mut lines = inside(text).ok_or_else(no_patch)?.into_iter();
    let first = lines.next().ok_or_else(|| wrong("changes no file"))?;
    let (change, name) =
        Change::of(first).ok_or_else(|| wrong(format!("has {} where it must name a file", quoted(first))))?;
    if change != wanted {
        return Err(wrong(format!("{}, where this call {}", change.verb(), wanted.verb())));
    }
    if name.is_empty() {
        return Err(wrong("does not say which file it changes"));
    }
    let body: Vec<&str> = lines.collect();
    match body.iter().find_map(|line| Change::of(line)) {
        Some((Change::Move, _)) => Err(wrong("gives the file another name, which this call cannot")),
        Some(_) => Err(wrong("changes a second file, which this call cannot")),
        None if shown(own).is_some_and(|own| own.trim() == name) => Ok((own.into(), body)),
        None => Ok((name.into(), body)),
    }
}

fn content(own: &Write, body: &[&str]) -> Result<Text, Wrong> {
    let mut content = String::new();
    for line in body {
        let line = line.strip_prefix('+');
        let line = line.ok_or_else(|| wrong("has a line of a new file that does not begin with `+`"))?;
        push(line, &mut content);
    }
    Ok(ended_as(&[&own.content], content))
}

/// What stands in the file, and what is to stand there.
#[derive(Default)]
struct Chunk {
    old: String,
    new: String,
}

/// Each begins with a line `@@`, which the first may do without. Lines of context, and empty lines,
/// belong to both texts.
fn chunks(body: &[&str]) -> Result<Vec<Chunk>, Wrong> {
    let mut chunks: Vec<Chunk> = Vec::new();
    for line in body {
        if line.trim_end() == CHUNK {
            chunks.push(Chunk::default());
            continue;
        }
        if line.starts_with(CHUNK) || line.starts_with(MARK) {
            return Err(wrong(format!("has {}, for which this call has no place", quoted(line))));
        }
        if chunks.is_empty() {
            chunks.push(Chunk::default());
        }
        let Some(Chunk { old, new }) = chunks.last_mut() else { continue };
        match (line.chars().next(), line.get(1..)) {
            (None | Some('\r'), _) => {
                push(line, old);
                push(line, new);
            }
            (Some(' '), Some(rest)) => {
                push(rest, old);
                push(rest, new);
            }
            (Some('-'), Some(rest)) => push(rest, old),
            (Some('+'), Some(rest)) => push(rest, new),
            _ => return Err(wrong(format!("has {}, which begins with none of `+`, `-` and a space", quoted(line)))),
        }
    }
    if chunks.is_empty() { Err(wrong("changes nothing in its file")) } else { Ok(chunks) }
}

fn edits(own: &Edit, chunks: &[Chunk]) -> Result<Vec<TextEdit>, Wrong> {
    let nothing = TextEdit::new("", "");
    let edit = |(n, chunk): (usize, &Chunk)| {
        let was = was(own, chunks, n, chunk);
        if chunk.old.is_empty() && !was.is_some_and(|was| was.old.is_empty()) {
            return Err(wrong("adds lines without saying where: it needs a line of context or one with `-`"));
        }
        let like = was.or(own.edits.first()).unwrap_or(&nothing);
        let old = ended_as(&[&like.old, &like.new], chunk.old.clone());
        let new = ended_as(&[&like.new, &like.old], chunk.new.clone());
        Ok(TextEdit::new(old, new).replace_all(was.is_some_and(|was| was.replace_all)))
    };
    chunks.iter().enumerate().map(edit).collect()
}

/// The replacement a chunk was: the one of the same lines, of several the one in its place. Where no
/// lines are the same, the one in its place, if there are still as many: what is not shown of one is
/// never another's. CDX-TOOL-09
fn was<'e>(own: &'e Edit, chunks: &[Chunk], n: usize, chunk: &Chunk) -> Option<&'e TextEdit> {
    let same = |was: &&TextEdit| was.old.split_terminator('\n').eq(chunk.old.split_terminator('\n'));
    let here = own.edits.get(n);
    here.filter(same).or_else(|| own.edits.iter().find(same)).or(here.filter(|_| own.edits.len() == chunks.len()))
}

fn push(line: &str, text: &mut String) {
    text.push_str(line);
    text.push('\n');
}

/// Whether the last line of a text has an end is not shown, so it stays as it was: as in the first of
/// the call's own texts that says something.
fn ended_as(own: &[&str], mut text: String) -> Text {
    if own.iter().find(|own| !own.is_empty()).is_some_and(|own| !own.ends_with('\n')) {
        text.pop();
    }
    text.into()
}

fn wrong(why: impl fmt::Display) -> Wrong {
    Wrong::new(format!("`command` {why}"))
}

fn no_patch() -> Wrong {
    wrong(format!("is no patch: one begins with `{BEGIN}` and ends with `{END}`"))
}

/// A line as a person reads it, its end cut off if it is long.
fn quoted(line: &str) -> String {
    const MOST: usize = 40;
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}…`", line.get(..end).unwrap_or_default()),
        None => format!("`{}`", line.trim_end()),
    }
}
