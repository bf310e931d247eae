//! The format string: literal text, and directives with their arguments (`vsnprintf` in lib/vsprintf.c).

use super::compile::{Compiler, Result};
use super::error::{TextError, TextErrorKind};
use super::program::{NumberFormat, Op, Padding, Small};
use super::types::{INT, Type};
use crate::c::{ByteRange, ExprId};
use crate::format::print::{Conversion, Count, Directive, Length, Piece, PrintErrorKind};

impl Compiler<'_> {
    /// Compiles a format string, whose directives take arguments from an iterator.
    pub(super) fn pieces(
        &mut self,
        format: &[u8],
        pieces: &[Piece],
        arguments: &mut dyn Iterator<Item = ExprId>,
    ) -> Result<()> {
        for piece in pieces {
            match &piece.directive {
                None => {
                    let text = format.get(piece.range.clone()).unwrap_or_default();
                    self.literal(text);
                }
                Some(directive) => self.directive(directive, arguments)?,
            }
        }
        Ok(())
    }

    fn directive(
        &mut self,
        directive: &Directive,
        arguments: &mut dyn Iterator<Item = ExprId>,
    ) -> Result<()> {
        let needed = directive.arguments();
        let mut next = || {
            arguments.next().ok_or_else(|| {
                let kind = PrintErrorKind::Arguments { needed, found: 0 };
                TextError::new(ByteRange::new(0, 0), TextErrorKind::Print(kind))
            })
        };
        let counts = [directive.width, directive.precision];
        let is_dynamic = counts.contains(&Some(Count::Argument));
        match &directive.conversion {
            Conversion::Percent => self.literal(b"%"),
            Conversion::Char | Conversion::Str => {
                let text = directive.conversion == Conversion::Str;
                // A precision means nothing to a character.
                let counts = if text { counts } else { [directive.width, None] };
                let padded = counts != [None, None];
                if padded {
                    for count in counts {
                        self.count(count, &mut next)?;
                    }
                    self.emit(Op::Begin);
                }
                let argument = next()?;
                if text {
                    self.text(argument)?;
                } else {
                    self.integer(argument, INT)?;
                    self.emit(Op::PrintCharacter);
                }
                if padded {
                    self.emit(Op::End { left: directive.left });
                }
            }
            Conversion::Signed | Conversion::Unsigned | Conversion::Octal | Conversion::Hex { .. } => {
                let format = number_format(directive);
                let integer = argument_type(directive);
                if is_dynamic {
                    for count in counts {
                        self.count(count, &mut next)?;
                    }
                }
                let ty = self.value(next()?)?;
                // A smaller integer reaches the directive as an `int`, with its value.
                let from = super::types::promoted(ty.integer());
                let integer = if from.bytes < u32::from(integer.bytes) { from.into() } else { integer };
                let op = match is_dynamic {
                    true => Op::PrintPadded { format: self.add_number(format), integer },
                    false => Op::Print { style: self.number_style(format), integer },
                };
                self.emit(op);
            }
            Conversion::Pointer { suffix, format } => {
                for count in counts {
                    self.count(count, &mut next)?;
                }
                let argument = next()?;
                let extension = self.extension(argument, suffix, format.map(|format| format.letters))?;
                let ty = self.value(argument)?;
                if !matches!(ty, Type::Pointer(_) | Type::Array(..) | Type::Aggregate { .. })
                    && ty.integer().bytes < 8
                {
                    self.convert(super::types::UNSIGNED_LONG, ty.integer());
                }
                self.emit(Op::Pointer { extension, left: directive.left, zero: directive.zero });
            }
        }
        Ok(())
    }

    /// Compiles a width or precision; -1 where there is none.
    fn count(&mut self, count: Option<Count>, next: &mut dyn FnMut() -> Result<ExprId>) -> Result<()> {
        match count {
            Some(Count::Argument) => self.integer(next()?, INT),
            Some(Count::Fixed(number)) => {
                self.emit(Op::Number(u64::from(number)));
                Ok(())
            }
            None => {
                self.emit(Op::Number(u64::MAX));
                Ok(())
            }
        }
    }
}

fn number_format(directive: &Directive) -> NumberFormat {
    let fixed = |count: Option<Count>| match count {
        Some(Count::Fixed(number)) => i32::try_from(number).unwrap_or(i32::MAX),
        _ => -1,
    };
    NumberFormat {
        base: match directive.conversion {
            Conversion::Octal => 8,
            Conversion::Hex { .. } => 16,
            _ => 10,
        },
        signed: directive.conversion == Conversion::Signed,
        upper: directive.conversion == Conversion::Hex { upper: true },
        alternate: directive.alternate,
        plus: directive.plus,
        space: directive.space,
        padding: Padding {
            width: fixed(directive.width),
            precision: fixed(directive.precision),
            left: directive.left,
            zero: directive.zero,
        },
    }
}

/// Returns the type that a directive takes its number as.
fn argument_type(directive: &Directive) -> Small {
    let signed = directive.conversion == Conversion::Signed;
    let bytes = match directive.length {
        Some(Length::Char) => 1,
        Some(Length::Short) => 2,
        None => 4,
        Some(Length::Long | Length::LongLong | Length::Size | Length::Difference) => 8,
    };
    Small { bytes, signed }
}
