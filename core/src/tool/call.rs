//! What the model wants to run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Facet, Fields, Json, Text, record::record};

/// A tool call. Hooks of every vendor see it through their own vendor's names and fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolCall {
    /// The call's id; opaque, it may even contain a newline.
    pub id: Text,
    /// The host's own name for the tool. Hooks see it only where the tool is [`Tool::Other`].
    pub host_name: Text,
    /// What is called, with its arguments.
    pub tool: Tool,
    /// Further keys the host chooses to show beside the tool's own, never secrets.
    #[serde(default)]
    pub extra: Fields,
}

impl ToolCall {
    /// A call with nothing extra.
    pub fn new(id: impl Into<Text>, host_name: impl Into<Text>, tool: impl Into<Tool>) -> Self {
        ToolCall { id: id.into(), host_name: host_name.into(), tool: tool.into(), extra: Fields::default() }
    }

    /// Shows one more key to hooks.
    pub fn extra(mut self, key: impl Into<String>, value: impl Into<Json>) -> Self {
        self.extra.set(key.into(), value.into());
        self
    }

    /// What kind of call it is, where hooks of some event care.
    pub fn facet(&self) -> Option<Facet> {
        match self.tool {
            Tool::Shell(_) => Some(Facet::Shell),
            Tool::Mcp(_) => Some(Facet::Mcp),
            Tool::Write(_) | Tool::Edit(_) | Tool::Patch(_) => Some(Facet::FileEdit),
            _ => None,
        }
    }
}

macro_rules! tools {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A tool with its arguments. What no variant describes is [`Tool::Other`].
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Tool {
            $($(#[$doc])* #[serde(rename = $name)] $variant($variant),)*
            /// A tool only this host has: its input, as hooks see it.
            #[serde(rename = "other")]
            Other(Json),
        }

        impl Tool {
            /// The name of the variant in JSON: `shell`, `web_fetch`.
            pub const fn kind(&self) -> &'static str {
                match self { $(Tool::$variant(_) => $name,)* Tool::Other(_) => "other" }
            }
        }

        $(impl From<$variant> for Tool {
            fn from(tool: $variant) -> Self {
                Tool::$variant(tool)
            }
        })*
    };
}

tools! {
    /// A shell command.
    Shell = "shell",
    /// Reading a file.
    Read = "read",
    /// Writing a whole file.
    Write = "write",
    /// Replacing parts of a file.
    Edit = "edit",
    /// A patch in a grammar of its own.
    Patch = "patch",
    /// Deleting a file.
    Delete = "delete",
    /// Searching text.
    Grep = "grep",
    /// Searching file names.
    Glob = "glob",
    /// Listing a folder.
    List = "list",
    /// Fetching a web page.
    WebFetch = "web_fetch",
    /// Searching the web.
    WebSearch = "web_search",
    /// Work handed to a subagent.
    Task = "task",
    /// A tool of an MCP server.
    Mcp = "mcp",
    /// A resource of an MCP server.
    McpResource = "mcp_resource",
}

record! {
    /// A shell command.
    Shell {
        /// The command line as the model wrote it.
        command: Text,
        ;
        /// Where it runs; the session's working directory if it is not said.
        cwd: Option<PathBuf>,
        /// How long it may run, in milliseconds.
        timeout_ms: Option<u64>,
        /// What the model says it is for.
        description: Option<Text>,
        /// It is started and not waited for.
        background: bool,
        /// Whether it runs in the host's sandbox, where the host knows.
        sandboxed: Option<bool>,
    }
}

record! {
    /// Reading a file.
    Read {
        /// The file.
        path: PathBuf,
        ;
        /// The first line to read.
        offset: Option<u64>,
        /// How many lines.
        limit: Option<u64>,
    }
}

record! {
    /// Writing a whole file.
    Write {
        /// The file.
        path: PathBuf,
        /// Its new content.
        content: Text,
        ;
    }
}

record! {
    /// Replacing parts of a file.
    Edit {
        /// The file.
        path: PathBuf,
        /// The replacements, in order.
        edits: Vec<TextEdit>,
        ;
    }
}

record! {
    /// One replacement.
    TextEdit {
        /// The text to find.
        old: Text,
        /// What stands there afterwards.
        new: Text,
        ;
        /// Every occurrence, not only the first.
        replace_all: bool,
    }
}

record! {
    /// A patch in a grammar of its own, possibly of several files.
    Patch {
        /// The patch.
        text: Text,
        ;
        /// The files it touches, where the host knows them.
        paths: Vec<PathBuf>,
    }
}

record! {
    /// Deleting a file.
    Delete {
        /// The file.
        path: PathBuf,
        ;
    }
}

record! {
    /// Searching text.
    Grep {
        /// What is searched.
        pattern: Text,
        ;
        /// Where.
        path: Option<PathBuf>,
        /// Only in files whose name fits.
        glob: Option<Text>,
        /// What is shown of a hit.
        output_mode: Option<Text>,
    }
}

record! {
    /// Searching file names.
    Glob {
        /// What the names must fit.
        pattern: Text,
        ;
        /// Where.
        path: Option<PathBuf>,
    }
}

record! {
    /// Listing a folder.
    List {
        /// The folder.
        path: PathBuf,
        ;
        /// Names left out.
        ignore: Vec<Text>,
    }
}

record! {
    /// Fetching a web page.
    WebFetch {
        /// The page.
        url: Text,
        ;
        /// What is asked of it.
        prompt: Option<Text>,
    }
}

record! {
    /// Searching the web.
    WebSearch {
        /// What is searched.
        query: Text,
        ;
    }
}

record! {
    /// Work handed to a subagent.
    Task {
        /// What kind of subagent.
        kind: Text,
        /// The work.
        prompt: Text,
        ;
        /// The work in a few words.
        description: Option<Text>,
        /// The model it runs on.
        model: Option<Text>,
        /// Whether it is waited for, where the host says.
        background: Option<bool>,
    }
}

record! {
    /// A tool of an MCP server.
    Mcp {
        /// The server's name.
        server: Text,
        /// The tool's own name.
        tool: Text,
        /// Its arguments, as they came.
        arguments: Json,
        ;
        /// Where the host learnt of the server, in its own words.
        server_source: Option<Text>,
        /// The host's identifier of the server.
        server_id: Option<Text>,
        /// The line that started a server on standard input and output.
        command_line: Option<Text>,
        /// The address of a server reached over HTTP.
        url: Option<Text>,
    }
}

record! {
    /// A resource of an MCP server.
    McpResource {
        /// The server's name.
        server: Text,
        /// The resource.
        uri: Text,
        ;
        /// The resource's name, where it has one.
        name: Option<Text>,
    }
}
