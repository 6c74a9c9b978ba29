//! Functions of Python that emitted files use, each written into a file that needs it.

use std::collections::BTreeSet;

/// One of them. They are written in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    Split,
    First,
    MulAdd,
    Power,
    ScatterBy,
    ScatterAllBy,
    SortBy,
    SelectAndScatter,
    Cholesky,
    Moving,
    NoTangent,
    Dual,
    Spread,
    RootRule,
    NotRun,
    Permute,
    Recorded,
    PrintDigits,
    TypeName,
    Check,
    CheckError,
}

/// The names of modules, helpers, and variables that the text uses of itself: no function or variable of a user has them.
pub(super) const NAMES: &str = "jax jnp lax np json sys pathlib data read_safetensors split first mul_add power \
    scatter_by scatter_all_by sort_by select_and_scatter cholesky moving no_tangent dual spread root_rule not_run permute recorded print_digits type_name largest orthonormal check check_error inputs expected results error \
    carry each primals tangents residuals cotangents arguments outputs unused";

/// The helpers with all that they use.
pub(super) fn closed(mut used: BTreeSet<Helper>) -> BTreeSet<Helper> {
    if used.contains(&Helper::Check) {
        used.insert(Helper::TypeName);
    }
    used
}

impl Helper {
    /// Whether the script at the end of a file uses it, and not its functions.
    pub(super) fn is_for_script(self) -> bool {
        matches!(self, Helper::TypeName | Helper::Check | Helper::CheckError)
    }

    /// Whether it uses NumPy.
    pub(super) fn uses_numpy(self) -> bool {
        matches!(self, Helper::Check | Helper::Dual | Helper::NoTangent | Helper::Recorded | Helper::PrintDigits)
    }

    /// Its definition.
    pub(super) fn text(self) -> &'static str {
        match self {
            Helper::Split => include_str!("helpers/split.py"),
            Helper::First => include_str!("helpers/first.py"),
            Helper::MulAdd => include_str!("helpers/mul_add.py"),
            Helper::Power => include_str!("helpers/power.py"),
            Helper::ScatterBy => include_str!("helpers/scatter_by.py"),
            Helper::ScatterAllBy => include_str!("helpers/scatter_all_by.py"),
            Helper::SortBy => include_str!("helpers/sort_by.py"),
            Helper::SelectAndScatter => include_str!("helpers/select_and_scatter.py"),
            Helper::Cholesky => include_str!("helpers/cholesky.py"),
            Helper::Moving => include_str!("helpers/moving.py"),
            Helper::NoTangent => include_str!("helpers/no_tangent.py"),
            Helper::Dual => include_str!("helpers/dual.py"),
            Helper::Spread => include_str!("helpers/spread.py"),
            Helper::RootRule => include_str!("helpers/root_rule.py"),
            Helper::NotRun => include_str!("helpers/not_run.py"),
            Helper::Permute => include_str!("helpers/permute.py"),
            Helper::Recorded => include_str!("helpers/recorded.py"),
            Helper::PrintDigits => include_str!("helpers/print_digits.py"),
            Helper::TypeName => include_str!("helpers/type_name.py"),
            Helper::Check => include_str!("helpers/check.py"),
            Helper::CheckError => include_str!("helpers/check_error.py"),
        }
    }
}

/// Reads the file of arrays.
pub(super) const READ_SAFETENSORS: &str = include_str!("helpers/read_safetensors.py");
