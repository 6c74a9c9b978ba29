//! What can be read and not run: branches for other platforms, and calls that ask Python for values. A run that reaches it fails.

use super::body::Body;
use wengert_core::ops::{Custom, CustomOp};
use wengert_core::text::Parser;
use wengert_core::{Error, ErrorKind, Result, Tensor, Type, Var, Vars};

/// Adds results of these types that nobody can compute, and why.
pub(super) fn refused(c: &mut Body<'_, '_, '_>, x: &[Var], types: &[Type], why: &str) -> Result<Vars> {
    register();
    c.push(Custom::new(Refused { types: types.into(), message: why.into() }), x)
}

/// What can't be read: it has types, and no values.
#[derive(Debug)]
struct Refused {
    types: Vec<Type>,
    message: String,
}

const NAME: &str = "stablehlo.refused";

/// Lets the text form of programs have what is refused when it runs.
pub fn register() {
    Custom::register(NAME, Refused::read).expect("no other op has this name");
}

impl Refused {
    /// The types of the results, and why there are none.
    fn read(text: &str) -> Result<Refused> {
        let (mut p, mut types) = (Parser::new(text), Vec::new());
        while !p.accept(":") {
            types.push(p.ty()?);
            p.accept(",");
        }
        Ok(Refused { types, message: text[p.position()..].into() })
    }

    fn error(&self) -> Error {
        Error::new(ErrorKind::Unsupported, &*self.message)
    }
}

impl CustomOp for Refused {
    fn name(&self) -> &str {
        NAME
    }
    fn attributes(&self) -> String {
        let types: Vec<String> = self.types.iter().map(Type::to_string).collect();
        format!("{}: {}", types.join(", "), self.message)
    }
    fn infer(&self, _: &[Type]) -> Result<Vec<Type>> {
        Ok(self.types.clone())
    }
    fn with_result_types(&self, types: &[Type]) -> Option<Custom> {
        Some(Custom::new(Refused { types: types.into(), message: self.message.clone() }))
    }
    fn evaluate(&self, _: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        Some(Err(self.error()))
    }
    fn stablehlo(&self, _: &[Type], _: &[String]) -> Option<Result<String>> {
        Some(Err(self.error()))
    }
}
