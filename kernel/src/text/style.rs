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
    /// trace-cmd 3.1: the states of tasks have the letters of kernels before 4.14.
    pub old_states: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            dialect: Dialect::Kernel,
            symbol_offsets: false,
            symbol_addresses: false,
            parents: true,
            old_states: false,
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
        old_states: false,
    };

    /// The style of trace-cmd 3.1.
    pub const TRACE_CMD_3_1: Style = Style { old_states: true, ..Style::TRACE_CMD_3_3 };
}
