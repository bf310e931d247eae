//! Generation of files and their declarations, except sessions.

use super::Generator;

impl Generator<'_> {
    pub(super) fn file(&mut self) {
        if self.rarely() {
            self.trivia("//!");
        }
        if self.rarely() {
            self.text.push_str("//! About the file.\n//!\n//! More.\n");
        }
        for _ in 0..=self.choose(3) {
            self.docs();
            self.declaration();
        }
        if self.rarely() {
            self.trivia("");
        }
    }

    fn declaration(&mut self) {
        match self.choose(16) {
            0..=4 => self.session(),
            5 => self.import(),
            6 => {
                self.token("const");
                self.name();
                if self.maybe() {
                    self.of_type();
                }
                self.token("=");
                self.expression();
                self.token(";");
            }
            7 => self.members("enum"),
            8 => self.members("flags"),
            9 => {
                self.token("subsystem");
                self.name();
                self.token(";");
            }
            10 => {
                self.token("include");
                let header = self.pick(&["<linux/blkdev.h>", "\"driver.h\""]);
                self.token(header);
                self.token(";");
            }
            11 => {
                self.token("class");
                self.name();
                self.body();
            }
            12..=14 => self.event(),
            _ => self.lint(),
        }
    }

    fn import(&mut self) {
        self.token("use");
        if self.maybe() {
            self.tokens("std :: errno");
        } else {
            self.token("\"common.trc\"");
        }
        if self.maybe() {
            self.token("as");
            self.name();
        }
        self.token(";");
    }

    fn members(&mut self, word: &str) {
        self.token(word);
        self.name();
        if self.maybe() {
            self.of_type();
        }
        self.bracketed("{", "}", 1, |this| {
            this.docs();
            this.name();
            if this.maybe() {
                this.token("=");
                this.expression();
            }
            if this.maybe() {
                this.string();
            }
        });
    }

    fn event(&mut self) {
        self.token("event");
        self.name();
        match self.choose(3) {
            0 => {
                self.event_tails();
                self.body();
            }
            1 => self.event_of_class(),
            _ => self.probe(),
        }
    }

    fn event_of_class(&mut self) {
        self.token(":");
        self.name();
        self.event_tails();
        if self.maybe() {
            self.token("{");
            self.print();
            self.token("}");
        } else {
            self.token(";");
        }
    }

    fn event_tails(&mut self) {
        if self.maybe() {
            self.tokens("if (");
            self.expression();
            self.token(")");
        }
        if self.maybe() {
            self.tokens("with ( reg , unreg )");
        }
    }

    /// Generates `{`, some of the parts, `}`.
    fn body(&mut self) {
        self.token("{");
        let first = self.choose(4);
        for part in 0..=self.choose(4) {
            match (first + part) % 4 {
                0 => {
                    self.token("proto");
                    self.params();
                }
                1 => {
                    self.tokens("entry {");
                    for _ in 0..self.choose(4) {
                        self.docs();
                        self.entry_field();
                    }
                    self.token("}");
                }
                2 if part < 4 => {
                    self.token("assign");
                    let code = self.pick(&["`x = 1;`", "`\n    a /* C */ = b; // c\n`", "``"]);
                    self.token(code);
                    self.optional_semicolon();
                }
                3 if part < 4 => self.print(),
                _ => {}
            }
            if part == 3 {
                break;
            }
        }
        self.token("}");
    }

    fn optional_semicolon(&mut self) {
        if self.rarely() {
            self.token(";");
        }
    }

    pub(super) fn print(&mut self) {
        self.token("print");
        self.template();
        self.optional_semicolon();
    }

    fn params(&mut self) {
        self.bracketed("(", ")", 0, |this| {
            this.name();
            this.of_type();
        });
    }

    fn entry_field(&mut self) {
        self.name();
        self.of_type();
        match self.choose(4) {
            1 | 2 => {
                self.token("=");
                self.c_expression();
            }
            3 => {
                self.tokens("= (");
                self.c_expression();
                self.token(",");
                self.c_expression();
                self.token(")");
            }
            _ => {}
        }
        self.token(";");
    }

    fn probe(&mut self) {
        self.token("at");
        let target = self.pick(&[
            "kprobe do_sys_openat2",
            "kprobe ext4 : ext4_sync_file + 16",
            "uprobe \"/bin/bash\" : readline",
            "uprobe \"/bin/bash\" : readline + 4",
            "uprobe \"/bin/bash\" : 0x1234",
            "usdt \"/bin/x\" : provider : name",
            "event sched : sched_process_exec",
        ]);
        self.tokens(target);
        let event = target.starts_with("event");
        if !event && self.maybe() {
            self.params();
        }
        if !event && self.rarely() {
            self.tokens("-> ( ret : ssize_t )");
        }
        if self.maybe() {
            return self.token(";");
        }
        self.token("{");
        let fields = self.choose(4);
        for index in 0..fields {
            self.docs();
            self.probe_field();
            if index + 1 < fields || self.maybe() {
                self.token(";");
            } else {
                return self.token("}");
            }
        }
        if self.maybe() {
            self.print();
        }
        self.token("}");
    }

    fn probe_field(&mut self) {
        match self.choose(4) {
            0 => self.name(),
            1 => {
                self.name();
                self.of_type();
            }
            2 => {
                self.name();
                self.token("=");
                let fetch = self.pick(&["%di", "+4($stack)", "@jiffies", "+u8(%si):x", "\\\"im;m\""]);
                // A colon outside of brackets and quotes begins the type.
                self.token(fetch.trim_end_matches(":x"));
                if self.maybe() {
                    self.of_type();
                }
            }
            _ => {
                self.token("@jiffies");
                self.of_type();
            }
        }
    }
}
