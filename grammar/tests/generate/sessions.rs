//! Generation of sessions, clauses, items, sets of events.

use super::Generator;

impl Generator<'_> {
    pub(super) fn session(&mut self) {
        self.token("session");
        self.name();
        if self.rarely() {
            self.bracketed("(", ")", 0, Self::session_param);
        }
        self.clauses(2);
    }

    fn session_param(&mut self) {
        self.name();
        let parts = self.choose(3);
        if parts != 1 {
            self.of_type();
        }
        if parts != 0 {
            self.token("=");
            self.expression();
        }
    }

    fn clauses(&mut self, fuel: u32) {
        self.token("{");
        for _ in 0..self.choose(4) {
            self.docs();
            self.clause(fuel);
        }
        self.token("}");
    }

    fn clause(&mut self, fuel: u32) {
        match self.choose(if fuel == 0 { 19 } else { 21 }) {
            0..=2 => self.event_clause(),
            3 => self.buffer(),
            4 => self.statement("clock", &["mono", "x86-tsc"]),
            5 => self.statement("option", &["sym-offset off", "overwrite", "irq-info on"]),
            6 => self.scope(),
            7 => {
                self.token("instance");
                if self.maybe() {
                    self.string();
                }
                self.token(";");
            }
            8 => self.tokens("stream ;"),
            9 => {
                self.token("ring");
                if self.maybe() {
                    self.token("last");
                    self.expression();
                }
                self.token(";");
            }
            10 | 11 => self.stop(),
            12 if self.maybe() => self.tokens("recorder bpf ;"),
            12 => self.tokens("start paused ;"),
            13 if self.maybe() => {
                match self.maybe() {
                    true => self.token("subbuffer"),
                    false if self.maybe() => self.token("cmdlines"),
                    false => self.tokens("rotate every"),
                }
                self.expression();
                self.token(";");
            }
            13 => self.texted("marker"),
            14 => self.texted("output"),
            15 => self.include(),
            16 | 17 => self.lint(),
            18 => {
                let keeps = self.maybe();
                self.token(if keeps { "keep" } else { "queue" });
                self.expression();
                if keeps {
                    self.token("after");
                }
                self.token(";");
            }
            19 => {
                self.token("global");
                if self.maybe() {
                    self.token("discarding");
                }
                self.clauses(fuel - 1);
            }
            _ => self.when(fuel - 1),
        }
    }

    fn statement(&mut self, word: &str, rest: &[&str]) {
        self.token(word);
        let rest = self.pick(rest);
        self.tokens(rest);
        self.token(";");
    }

    fn texted(&mut self, word: &str) {
        self.token(word);
        if self.rarely() {
            self.name();
        } else {
            self.string();
        }
        self.token(";");
    }

    fn buffer(&mut self) {
        self.token("buffer");
        self.expression();
        match self.choose(3) {
            1 => self.tokens("per cpu"),
            2 => self.token("total"),
            _ => {}
        }
        self.token(";");
    }

    fn scope(&mut self) {
        self.token("scope");
        if self.choose(6) == 0 {
            return self.tokens("including tracec ;");
        }
        self.listed(1, |this| match this.choose(6) {
            0 => this.token("command"),
            1 => this.tokens("process 123"),
            2 => this.tokens("thread pid"),
            3 => {
                this.token("comm");
                this.string();
            }
            4 => {
                this.token("cgroup");
                this.string();
            }
            _ => {
                let cpus = this.pick(&["cpus 2", "cpus 0 - 3"]);
                this.tokens(cpus);
            }
        });
        if self.maybe() {
            self.tokens("and children");
        }
        self.token(";");
    }

    fn stop(&mut self) {
        match self.choose(6) {
            5 => {
                self.tokens("dump on");
                self.event_set();
                self.condition();
                self.count();
                self.token("to");
                self.string();
                if self.maybe() {
                    self.tokens("max 5");
                }
            }
            0 => self.tokens("stop after 30s"),
            1 => {
                self.tokens("stop on");
                self.event_set();
                self.condition();
                self.count();
            }
            2 => self.tokens("stop on signal SIGUSR1"),
            3 => self.tokens("stop with command"),
            _ => {
                self.tokens("stop with process");
                self.expression();
            }
        }
        self.token(";");
    }

    fn include(&mut self) {
        self.token("include");
        self.name();
        if self.maybe() {
            self.tokens(":: base");
        }
        if self.maybe() {
            self.bracketed("(", ")", 0, |this| {
                this.name();
                this.token("=");
                this.expression();
            });
        }
        self.token(";");
    }

    fn when(&mut self, fuel: u32) {
        self.tokens("when has");
        match self.choose(3) {
            0 => {
                let feature =
                    self.pick(&["option func-args", "clock tai", "tracer osnoise", "feature cpu-lists"]);
                self.tokens(feature);
            }
            1 => {
                self.token("event");
                self.path();
            }
            _ => self.tokens("field sched : sched_switch . prev_prio"),
        }
        self.clauses(fuel);
        match self.choose(4) {
            1 => {
                self.token("else");
                self.clauses(fuel);
            }
            2 if fuel > 0 => {
                self.token("else");
                self.when(fuel - 1);
            }
            _ => {}
        }
    }

    pub(super) fn lint(&mut self) {
        self.token("lint");
        let level = self.pick(&["allow", "warn", "deny"]);
        self.token(level);
        self.listed(1, |this| {
            let lint = this.pick(&["unused", "hidden-pseudo-field", "constant-condition"]);
            this.token(lint);
        });
        self.token(";");
    }

    // Events

    fn event_clause(&mut self) {
        let word = self.pick(&["trace", "on"]);
        self.token(word);
        self.head();
        if word == "trace" && self.maybe() {
            return self.token(";");
        }
        self.token("{");
        for _ in 0..self.choose(3) + u32::from(word == "on") {
            self.docs();
            self.item(word);
        }
        self.token("}");
    }

    /// Writes the events of a clause and the parts after them, in any order.
    fn head(&mut self) {
        self.paths();
        let first = self.choose(3);
        for part in 0..3 {
            match (first + part) % 3 {
                0 => self.excepts(),
                1 if self.rarely() => {
                    self.token("having");
                    self.listed(1, Self::name);
                }
                2 => self.condition(),
                _ => {}
            }
        }
    }

    fn condition(&mut self) {
        if self.maybe() {
            self.token("if");
            self.expression();
        }
    }

    fn count(&mut self) {
        match self.choose(3) {
            1 => self.token("once"),
            2 => self.tokens("count 0x5"),
            _ => {}
        }
    }

    fn item(&mut self, clause: &str) {
        match self.choose(6) {
            4 if clause == "trace" => self.print(),
            5 if clause == "trace" => {
                let word = self.pick(&["drop", "redact"]);
                self.token(word);
                self.listed(1, Self::name);
                self.token(";");
            }
            1 if clause == "trace" => {
                self.token("filter");
                if self.maybe() {
                    self.tokens("in kernel");
                }
                self.expression();
                self.token(";");
            }
            2 => self.lint(),
            kind => {
                if clause == "trace" || kind != 3 {
                    self.token("trigger");
                }
                let action = self.pick(&["stacktrace", "traceoff", "enable_event kmem : kmalloc"]);
                self.tokens(action);
                self.count();
                self.condition();
                self.token(";");
            }
        }
    }

    fn event_set(&mut self) {
        self.paths();
        self.excepts();
    }

    fn excepts(&mut self) {
        for _ in 0..self.choose(8).saturating_sub(5) {
            self.token("except");
            self.paths();
        }
    }

    fn paths(&mut self) {
        if self.maybe() {
            self.bracketed("{", "}", 1, Self::path);
        } else {
            self.path();
        }
    }

    fn path(&mut self) {
        let path = self.pick(&["sched : sched_switch", "sched : *", "* : open", "lone", "\"a:b*\"", "* : *"]);
        self.tokens(path);
    }
}
