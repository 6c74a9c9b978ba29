//! What is kept of values: arrays or their summaries, numbers of the host, texts, and what stands in nodes themselves.

use super::writer::Writer;
use crate::host::{HostNumber, HostType};
use crate::row::{KeptValue, Ref, ResultRow};
use crate::summary::{Capture, Summary};
use crate::tape::Constant;
use wengert_core::{Scalar, Tensor, Type};

impl Writer {
    fn fits(&self, bytes: usize) -> bool {
        self.kept_bytes.saturating_add(bytes) <= self.settings.limit
    }

    /// Keeps a value, its summary, or nothing. From the first value that is over the limit on, no values are kept.
    pub(super) fn keep(&mut self, capture: Capture, value: impl FnOnce() -> Option<Tensor>, id: u32) -> KeptValue {
        if capture == Capture::Shapes || self.keeps_nothing {
            return KeptValue::Nothing;
        }
        let Some(t) = value() else { return KeptValue::Nothing };
        let bytes = t.stored_bytes();
        if capture == Capture::Values && !self.full && self.fits(bytes) {
            return self.keep_value(t);
        }
        if capture == Capture::Values {
            self.full = true;
            self.tape.limited.get_or_insert(id);
        }
        self.keep_summary(Summary::of(&t))
    }

    /// Values that were copied from another recording were cut there, from this node on.
    pub(super) fn limited_at(&mut self, id: u32) {
        if self.settings.capture == Capture::Values {
            self.tape.limited = Some(self.tape.limited.map_or(id, |n| n.min(id)));
        }
    }

    fn keep_value(&mut self, t: Tensor) -> KeptValue {
        self.kept_bytes += t.stored_bytes();
        KeptValue::Value(self.tape.values.push(t) as u32)
    }

    pub(super) fn keep_summary(&mut self, s: Summary) -> KeptValue {
        self.tape.summaries.room(1).push(s);
        KeptValue::Summary(self.tape.summaries.len() as u32 - 1)
    }

    #[inline]
    pub(super) fn keep_number(&mut self, bits: u64) -> KeptValue {
        KeptValue::small(bits).unwrap_or_else(|| {
            self.tape.numbers.room(1).push(bits);
            KeptValue::Number(self.tape.numbers.len() as u32 - 1)
        })
    }

    /// A number of the host as a result.
    #[inline]
    pub(super) fn number_result(&mut self, x: HostNumber) -> ResultRow {
        let ty = self.host_type(x.ty);
        ResultRow { ty, kept: self.keep_number(x.bits).pack() }
    }

    /// The number of the type of an array of one such number.
    #[inline]
    fn host_type(&mut self, ty: HostType) -> u32 {
        match self.host_types[ty as usize] {
            0 => {
                let i = self.ty(&ty.array());
                self.host_types[ty as usize] = i;
                i
            }
            i => i,
        }
    }

    /// A result of a node, with its value kept as the settings say.
    pub(super) fn array_result(&mut self, ty: &Type, value: impl FnOnce() -> Option<Tensor>, id: u32) -> ResultRow {
        ResultRow { ty: self.ty(ty), kept: self.keep(self.settings.capture, value, id).pack() }
    }

    pub(super) fn constant(&mut self, c: &Constant) -> u32 {
        self.constants.number(&mut self.tape.constants, c)
    }

    /// A text as a result.
    pub(super) fn text_result(&mut self, text: &str) -> ResultRow {
        let i = self.constant(&Constant::Text(text.into()));
        ResultRow { ty: 0, kept: KeptValue::Constant(i).pack() }
    }

    /// A value that is neither array nor number, with the name of its type, as an operand.
    pub(super) fn shown_operand(&mut self, text: &str, ty: &str) -> Ref {
        Ref::constant(self.constant(&Constant::Shown(text.into(), ty.into())))
    }

    /// The same as a result.
    pub(super) fn shown_result(&mut self, text: &str, ty: &str) -> ResultRow {
        ResultRow { ty: 0, kept: KeptValue::Constant(self.shown_operand(text, ty).at).pack() }
    }

    /// A text as an operand.
    pub(super) fn text_operand(&mut self, text: &str) -> Ref {
        Ref::constant(self.constant(&Constant::Text(text.into())))
    }

    /// A number of the host as an operand.
    pub(super) fn number_operand(&mut self, x: HostNumber) -> Ref {
        Ref::constant(self.constant(&Constant::Host(x)))
    }

    /// A splat as an operand.
    pub(super) fn splat_operand(&mut self, s: Scalar, ty: Type) -> Ref {
        Ref::constant(self.constant(&Constant::Number(s, ty)))
    }
}
