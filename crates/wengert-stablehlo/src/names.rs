//! The names that StableHLO and CHLO have for elementwise ops, and the words of attributes: one table, which
//! import reads from the name to the op, and export from the op to the name.

use wengert_core::Op;
use wengert_core::ops::{Binary, Direction, FftKind, MatrixTranspose, RngAlgorithm, Unary};

/// What StableHLO has names for.
pub(crate) trait Named: Copy + 'static {
    /// All names: export writes the first, import reads any. None if StableHLO and CHLO lack it.
    fn spellings(self) -> &'static [&'static str];

    /// What has this name.
    fn spelled(name: &str) -> Option<Self>;

    /// The name that export writes.
    fn spelling(self) -> Option<&'static str> {
        self.spellings().first().copied()
    }
}

/// A table of a family: each member once, with its names.
macro_rules! table {
    ($family:ident: $($member:ident $($name:literal)*;)*) => {
        impl Named for $family {
            fn spellings(self) -> &'static [&'static str] {
                match self { $($family::$member => &[$($name),*],)* }
            }

            fn spelled(name: &str) -> Option<Self> {
                match name {
                    $($($name => Some($family::$member),)*)*
                    _ => None,
                }
            }
        }
    };
}

table! { Unary:
    Abs "stablehlo.abs";
    Sign "stablehlo.sign";
    Neg "stablehlo.negate";
    Exp "stablehlo.exponential";
    Expm1 "stablehlo.exponential_minus_one";
    Log "stablehlo.log";
    Log1p "stablehlo.log_plus_one";
    Logistic "stablehlo.logistic";
    Tanh "stablehlo.tanh";
    Sin "stablehlo.sine";
    Cos "stablehlo.cosine";
    Tan "stablehlo.tan" "chlo.tan";
    Asin "chlo.asin";
    Acos "chlo.acos";
    Atan "chlo.atan";
    Sinh "chlo.sinh";
    Cosh "chlo.cosh";
    Asinh "chlo.asinh";
    Acosh "chlo.acosh";
    Atanh "chlo.atanh";
    Sqrt "stablehlo.sqrt";
    Rsqrt "stablehlo.rsqrt";
    Cbrt "stablehlo.cbrt";
    Floor "stablehlo.floor";
    Ceil "stablehlo.ceil";
    Round "stablehlo.round_nearest_afz";
    RoundEven "stablehlo.round_nearest_even";
    IsFinite "stablehlo.is_finite";
    Not "stablehlo.not";
    Popcnt "stablehlo.popcnt";
    Clz "stablehlo.count_leading_zeros";
    Erf "chlo.erf";
    Erfc "chlo.erfc";
    ErfInv "chlo.erf_inv";
    Lgamma "chlo.lgamma";
    Digamma "chlo.digamma";
    BesselI0e;
    BesselI1e "chlo.bessel_i1e";
    Real "stablehlo.real";
    Imag "stablehlo.imag";
    Conj "chlo.conj";
}

// Between operands of one shape CHLO's `broadcast_…` repeats nothing.
table! { Binary:
    Add "stablehlo.add" "chlo.broadcast_add";
    Sub "stablehlo.subtract" "chlo.broadcast_subtract";
    Mul "stablehlo.multiply" "chlo.broadcast_multiply";
    Div "stablehlo.divide" "chlo.broadcast_divide";
    Rem "stablehlo.remainder" "chlo.broadcast_remainder";
    Pow "stablehlo.power" "chlo.broadcast_power";
    Max "stablehlo.maximum" "chlo.broadcast_maximum";
    Min "stablehlo.minimum" "chlo.broadcast_minimum";
    Atan2 "stablehlo.atan2" "chlo.broadcast_atan2";
    And "stablehlo.and" "chlo.broadcast_and";
    Or "stablehlo.or" "chlo.broadcast_or";
    Xor "stablehlo.xor" "chlo.broadcast_xor";
    Shl "stablehlo.shift_left" "chlo.broadcast_shift_left";
    ShrArithmetic "stablehlo.shift_right_arithmetic" "chlo.broadcast_shift_right_arithmetic";
    ShrLogical "stablehlo.shift_right_logical" "chlo.broadcast_shift_right_logical";
    Complex "stablehlo.complex" "chlo.broadcast_complex";
    Nextafter "chlo.next_after" "chlo.broadcast_next_after";
    Polygamma "chlo.polygamma" "chlo.broadcast_polygamma";
}

table! { Direction:
    Eq "EQ";
    Ne "NE";
    Lt "LT";
    Le "LE";
    Gt "GT";
    Ge "GE";
}

table! { FftKind:
    Fft "FFT";
    Ifft "IFFT";
    Rfft "RFFT";
    Irfft "IRFFT";
}

table! { MatrixTranspose:
    No "NO_TRANSPOSE";
    Transpose "TRANSPOSE";
    Adjoint "ADJOINT";
}

table! { RngAlgorithm:
    Default "DEFAULT";
    ThreeFry "THREE_FRY";
    Philox "PHILOX";
}

/// What gather calls the axes of windows, those left out of them, those shared with the indices in the array and in the
/// indices, and the axes that the indices point along.
pub(crate) const GATHER: [&str; 5] =
    ["offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims", "start_index_map"];

/// What scatter calls the same.
pub(crate) const SCATTER: [&str; 5] = [
    "update_window_dims",
    "inserted_window_dims",
    "input_batching_dims",
    "scatter_indices_batching_dims",
    "scatter_dims_to_operand_dims",
];

/// The word that export writes for an attribute.
pub(crate) fn word(x: impl Named) -> &'static str {
    x.spelling().expect("attributes have a word for each choice")
}

/// The elementwise op with this name.
pub(crate) fn elementwise(name: &str) -> Option<Op> {
    Unary::spelled(name).map(Op::from).or_else(|| Binary::spelled(name).map(Op::from))
}

/// The elementwise op that a custom call of this target stands for. Modules of the dialect MHLO, whose names are those
/// of StableHLO and CHLO, have such calls.
pub(crate) fn called(target: &str) -> Option<Op> {
    match target.split_once('.')? {
        ("chlo", _) => elementwise(target),
        ("mhlo", name) => ["stablehlo", "chlo"].iter().find_map(|dialect| elementwise(&format!("{dialect}.{name}"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::is_known;
    use rustc_hash::FxHashSet;
    use wengert_core::{Builder, DType, ErrorKind, Type};

    /// Every elementwise op, our own name of it, and its names in the table.
    fn all() -> Vec<(Op, &'static str, &'static [&'static str])> {
        let unary = Unary::ALL.iter().map(|&op| (op.into(), op.as_str(), op.spellings()));
        let binary = Binary::ALL.iter().map(|&op| (op.into(), op.as_str(), op.spellings()));
        unary.chain(binary).collect()
    }

    #[test]
    fn a_name_stands_for_one_op() {
        let mut seen = FxHashSet::default();
        for (op, ours, names) in all() {
            let types = vec![Type::scalar(DType::F32); 1 + matches!(op, Op::Binary(_)) as usize];
            let expands = || wengert_expand::expand(&op, &types).is_some();
            assert!(!names.is_empty() || expands(), "`{ours}` has neither a name nor an expansion");
            for &name in names {
                assert!(seen.insert(name), "`{name}` is there twice");
                assert_eq!(elementwise(name), Some(op.clone()), "{name}");
            }
        }
    }

    /// Import reads the names of the table, and no other name that an op of ours has or could have.
    #[test]
    fn names_that_do_not_exist_are_refused() {
        for (_, ours, names) in all() {
            for &name in names {
                assert!(is_known(name), "{name}");
            }
            let ends: Vec<&str> = names.iter().map(|n| n.split_once('.').expect("a dialect").1).chain([ours]).collect();
            for name in ["stablehlo.", "chlo.", "chlo.broadcast_"]
                .iter()
                .flat_map(|d| ends.iter().map(move |n| format!("{d}{n}")))
            {
                assert_eq!(is_known(&name), names.contains(&&*name), "{name}");
            }
        }
        for name in ["stablehlo.neg", "stablehlo.lgamma", "stablehlo.exp", "stablehlo.max", "chlo.abs", "chlo.compare"]
        {
            for form in ["{name} %x : tensor<f32>", "\"{name}\"(%x) : (tensor<f32>) -> tensor<f32>"] {
                let op = form.replace("{name}", name);
                let main = "func.func @main(%x: tensor<f32>) -> tensor<f32>";
                let e = crate::parse(&format!("{main} {{ %y = {op} return %y : tensor<f32> }}"));
                let e = e.expect_err("no such operation");
                assert_eq!(e.kind(), ErrorKind::Unsupported, "{e}");
                assert!(e.message().ends_with(&format!("the operation `{name}` is not supported")), "{e}");
            }
        }
    }

    /// Export writes the first name of the table.
    #[test]
    fn the_first_name_goes_out() {
        for (op, _, names) in all() {
            let Some(&name) = names.first() else { continue };
            let binary = matches!(op, Op::Binary(_));
            for d in [DType::F32, DType::I32, DType::C64] {
                let types = vec![Type::new(d, [2]); 1 + binary as usize];
                let mut b = Builder::new();
                let x = b.inputs(&types);
                let Ok(y) = b.try_push(op.clone(), &x) else { continue };
                let program = b.finish(&y);
                let text = crate::export(&program).expect("it goes out");
                // What StableHLO lacks for an element type is a composite.
                assert!(
                    text.contains(&format!(" = {name} ")) || text.contains("stablehlo.composite"),
                    "{name}\n{text}"
                );
                let back = crate::parse(&text).expect("it comes back");
                assert_eq!(back.equations()[0].op, op, "{text}");
            }
        }
    }

    #[test]
    fn calls_of_other_dialects() {
        assert_eq!(called("mhlo.erf"), Some(Unary::Erf.into()));
        assert_eq!(called("mhlo.negate"), Some(Unary::Neg.into()));
        assert_eq!(called("chlo.erf"), Some(Unary::Erf.into()));
        for target in ["mhlo.neg", "chlo.negate", "stablehlo.negate", "erf"] {
            assert_eq!(called(target), None, "{target}");
        }
    }
}
