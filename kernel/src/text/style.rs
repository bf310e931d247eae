//! Whose texts are printed, and with which of the options that a reader of `trace` can set.

/// The program whose texts are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The kernel, in its file `trace`.
    #[default]
    Kernel,
    /// trace-cmd, with libtraceevent and its plugins. It prints by the `print fmt`, with the `printf` of C and with symbols
    /// whose size it does not know.
    TraceCmd,
}

/// The style of texts. The default is that of a kernel whose `trace_options` nobody has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The program whose texts are printed.
    pub dialect: Dialect,
    /// `sym-offset`: functions in the records of tracers have an offset and a size, `name+0x10/0x80`.
    pub symbol_offsets: bool,
    /// `sym-addr`: functions in the records of tracers have their address behind them.
    pub symbol_addresses: bool,
    /// `print-parent`: a function that was called is followed by its caller.
    pub parents: bool,
    /// Whether what programs and the kernel's code write is preceded by the function that wrote it.
    pub places: bool,
    /// The columns of calls and returns.
    pub calls: CallStyle,
    /// `blk_classic`: requests to disks have the columns of blktrace(8), which are whole lines.
    pub classic_requests: bool,
    /// `verbose`: the actions of requests to disks have names and not letters.
    pub named_actions: bool,
    /// trace-cmd 3.1: the states of tasks have the letters of kernels before 4.14, and calls have no return values.
    pub is_old: bool,
}

/// What is shown of the calls and returns that the tracer function_graph records. The default is that of the tracer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallStyle {
    /// `funcgraph-duration`: the column of durations.
    pub durations: bool,
    /// `funcgraph-overhead`: the mark of a long duration.
    pub marks: bool,
    /// `funcgraph-tail`: the name of the function behind the brace that ends it.
    pub tails: bool,
    /// `funcgraph-retval`: what a function returns.
    pub values: bool,
    /// `funcgraph-retval-hex`: no such value is an error number.
    pub hexadecimal: bool,
    /// `funcgraph-overrun`: a line with the number of calls that the stack of returns had no room for.
    pub overruns: bool,
    /// `funcgraph-retaddr`: the place that called, of calls that were recorded with it.
    pub callers: bool,
}

impl CallStyle {
    const DEFAULT: CallStyle = CallStyle {
        durations: true,
        marks: true,
        tails: false,
        values: false,
        hexadecimal: false,
        overruns: false,
        callers: true,
    };
}

impl Default for CallStyle {
    fn default() -> Self {
        CallStyle::DEFAULT
    }
}

impl Default for Style {
    fn default() -> Self {
        Style {
            dialect: Dialect::Kernel,
            symbol_offsets: false,
            symbol_addresses: false,
            parents: true,
            places: true,
            calls: CallStyle::DEFAULT,
            classic_requests: false,
            named_actions: false,
            is_old: false,
        }
    }
}

impl Style {
    /// The style of trace-cmd 3.3.
    pub const TRACE_CMD_3_3: Style = Style {
        dialect: Dialect::TraceCmd,
        symbol_offsets: false,
        symbol_addresses: false,
        parents: true,
        places: true,
        calls: CallStyle::DEFAULT,
        classic_requests: false,
        named_actions: false,
        is_old: false,
    };

    /// The style of trace-cmd 3.1.
    pub const TRACE_CMD_3_1: Style = Style { is_old: true, ..Style::TRACE_CMD_3_3 };
}
