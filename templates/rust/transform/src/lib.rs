//! Two stages of a stream: each writes a prefix in front of each line.
//!
//! The prefix of the first stage is a setting, that of the second an argument.

#[macro_use]
#[allow(dead_code)]
mod troupe;

use troupe::{Output, Registrar, Registration, Result, Transform};

manifest!(concat!(
    r#"{"id":"@ID@","name":"@TITLE@","version":"0.1.0","language":"rust","abi":"1.0","settings":["#,
    r#"{"key":"prefix","type":"text","default":"> ","description":"Text before each line"},"#,
    r#"{"key":"longest","type":"integer","default":1048576,"minimum":1,"maximum":1073741824,"#,
    r#""description":"Bytes in the longest line"}]}"#
));
entry!(register);

/// Writes a prefix in front of each line. The host feeds pieces of any size, so that a line may begin in one piece
/// and end in another: an instance keeps its position in the line.
struct LinePrefix {
    prefix: String,
    /// The largest number of bytes in a line.
    longest: usize,
    /// The number of the current line, and the number of its bytes so far.
    line: u64,
    column: usize,
    /// Whether the prefix of the current line is written.
    is_begun: bool,
}

impl LinePrefix {
    fn new(prefix: &str) -> Result<Self> {
        let longest = troupe::host().integer("longest").ok_or("the setting \"longest\" is not declared")?;
        Ok(LinePrefix { prefix: prefix.into(), longest: longest as usize, line: 1, column: 0, is_begun: false })
    }
}

impl Transform for LinePrefix {
    fn feed(&mut self, bytes: &[u8], output: &Output) -> Result<()> {
        // Written together, since a write for each line would cost more.
        let mut text = Vec::with_capacity(bytes.len() * 2);
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_begun {
                text.extend_from_slice(self.prefix.as_bytes());
            }
            text.extend_from_slice(part);
            self.is_begun = part.last() != Some(&b'\n');
            self.column += part.len() - usize::from(!self.is_begun);
            if self.column > self.longest {
                let (line, longest) = (self.line, self.longest);
                return Err(format!("line {line} is longer than {longest} bytes; raise the setting \"longest\"").into());
            }
            if !self.is_begun {
                self.line += 1;
                self.column = 0;
            }
        }
        output.write(&text)
    }

    /// Writes nothing: `feed` has written everything.
    fn finish(&mut self, _: &Output) -> Result<()> {
        Ok(())
    }
}

function! {
    fn with_setting() -> Result<LinePrefix> {
        LinePrefix::new(&troupe::host().text("prefix").ok_or("the setting \"prefix\" is not declared")?)
    }
}

function! {
    fn with_argument(prefix: &str) -> Result<LinePrefix> {
        LinePrefix::new(prefix)
    }
}

fn register(registrar: &Registrar) -> Result<()> {
    let setting = Registration {
        uuid: "@UUID1@",
        name: "@NAME@",
        tags: &["text", "@NAME@"],
        metadata: &[("description", "Writes the setting prefix in front of each line.")],
    };
    registrar.transform(setting, with_setting())?;
    let argument = Registration {
        uuid: "@UUID2@",
        name: "@NAME@-with",
        tags: &["@NAME@-with"],
        metadata: &[("description", "Writes its argument in front of each line.")],
    };
    registrar.transform(argument, with_argument())?;
    Ok(())
}
