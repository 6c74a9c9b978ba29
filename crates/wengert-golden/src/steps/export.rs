//! `export`: the module that goes to XLA devices.
//! It is written with the options that an exporter has by default.

use super::{Args, Step};
use crate::{Failure, Stage};

pub(super) struct Export;

impl Step for Export {
    fn name(&self) -> &'static str {
        "export"
    }

    fn about(&self) -> &'static str {
        "`test export`: the StableHLO module, as text"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        args.none()?;
        Ok(Stage::Text(wengert_stablehlo::export(stage.one(args)?)?))
    }
}
