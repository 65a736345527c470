//! Objects with a contract of their own, and a stage that resolves them.
//!
//! Two factories make counters, whose contract is in `counter.rs`: one counter for each text that is processed, and
//! one for all. The stage numbers the lines of a text with the first, and counts the lines of all texts with the
//! second.

#[macro_use]
#[allow(dead_code)]
mod troupe;

mod counter;

use counter::{Counter, ResolvedCounter};
use troupe::{Level, Lifetime, Output, Registrar, Registration, Resolver, Result, Transform};

manifest!(concat!(
    r#"{"id":"@ID@","name":"@TITLE@","version":"0.1.0","language":"rust","abi":"1.0","#,
    r#""provides":["@ID@.counter/1"],"#,
    r#""settings":[{"key":"start","type":"integer","default":1,"minimum":0,"maximum":1000000,"#,
    r#""description":"The first number of each counter"}]}"#
));
entry!(register);

/// Numbers the lines of a text with one counter, and counts the lines of all texts with another.
struct Numbering {
    of_text: ResolvedCounter,
    of_all: ResolvedCounter,
    /// The last number of the counter for all texts.
    last: i64,
    /// Whether the number of the current line is written.
    is_begun: bool,
}

impl Transform for Numbering {
    fn feed(&mut self, bytes: &[u8], output: &Output) -> Result<()> {
        // Written together, since a write for each line would cost more.
        let mut text = Vec::with_capacity(bytes.len() * 2);
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_begun {
                text.extend_from_slice(format!("{}\t", self.of_text.next()).as_bytes());
                self.last = self.of_all.next();
            }
            text.extend_from_slice(part);
            self.is_begun = part.last() != Some(&b'\n');
        }
        output.write(&text)
    }

    /// Writes to the log alone: `feed` has written all of the output.
    fn finish(&mut self, _: &Output) -> Result<()> {
        troupe::host().log(Level::Info, &format!("{} is the last number of all texts", self.last));
        Ok(())
    }
}

function! {
    fn make_counter() -> Result<Counter> {
        Ok(Counter::new(troupe::host().integer("start").ok_or("the setting \"start\" is not declared")?))
    }
}

function! {
    fn make_numbering(resolver: Resolver) -> Result<Numbering> {
        Ok(Numbering {
            of_text: ResolvedCounter::resolve(resolver, &["@NAME@", "@NAME@-of-text"])?,
            of_all: ResolvedCounter::resolve(resolver, &["@NAME@", "@NAME@-of-all"])?,
            last: 0,
            is_begun: false,
        })
    }
}

fn register(registrar: &Registrar) -> Result<()> {
    let of_text = Registration {
        uuid: "@UUID1@",
        name: "@NAME@-of-text",
        tags: &["@NAME@", "@NAME@-of-text"],
        metadata: &[("description", "Makes a counter for each text."), ("unit", "lines")],
    };
    counter::register(registrar, of_text, Lifetime::Scoped, make_counter())?;
    let of_all = Registration {
        uuid: "@UUID2@",
        name: "@NAME@-of-all",
        tags: &["@NAME@", "@NAME@-of-all"],
        metadata: &[("description", "Makes one counter for all texts."), ("unit", "lines")],
    };
    counter::register(registrar, of_all, Lifetime::Singleton, make_counter())?;
    let stage = Registration {
        uuid: "@UUID3@",
        name: "@NAME@",
        tags: &["@NAME@"],
        metadata: &[("description", "Numbers the lines of a text, and counts the lines of all.")],
    };
    registrar.transform(stage, make_numbering())?;
    Ok(())
}
