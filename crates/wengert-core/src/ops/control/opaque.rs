//! Ops of the user's own where their code is not: a saved program has their names and types.

use super::{Custom, CustomOp};
use crate::error::{Error, ErrorKind, Result};
use crate::host::Tensor;
use crate::op::Op;
use crate::text::Parser;
use crate::types::Type;

/// The name of the op that stands for one of the user's.
pub(super) const OPAQUE: &str = "wengert.opaque";

/// An op of the user's that is no program of others, in a process that has not its code.
#[derive(Debug)]
pub(super) struct Opaque {
    gives: Vec<Type>,
    /// The op as text.
    op: String,
}

impl Opaque {
    /// What stands for an op that gives arrays of these types.
    pub(super) fn of(op: &Custom, gives: Vec<Type>) -> Custom {
        Custom::new(Opaque { gives, op: Op::from(op.clone()).to_string() })
    }

    /// From its attributes: the types of the results, and the op.
    pub(super) fn read(text: &str) -> Result<Opaque> {
        let (mut p, mut gives) = (Parser::new(text), Vec::new());
        while !p.accept(":") {
            gives.push(p.ty()?);
            p.accept(",");
        }
        Ok(Opaque { gives, op: text[p.position()..].trim_start().into() })
    }

    /// The op as text, of what an op that stands for another has as its attributes.
    pub(super) fn text_of(attributes: &str) -> Option<String> {
        Opaque::read(attributes).ok().map(|o| o.op)
    }

    fn error(&self) -> Error {
        let name = self.op.split('[').next().unwrap_or_default();
        let m = format!("`{name}` is code of the user's, of which there is nothing here but the name");
        Error::new(ErrorKind::Unsupported, m)
            .note("what to do: run it where that code is, or give the op a decomposition")
    }
}

impl CustomOp for Opaque {
    fn name(&self) -> &str {
        OPAQUE
    }
    fn attributes(&self) -> String {
        let gives: Vec<String> = self.gives.iter().map(Type::to_string).collect();
        format!("{}: {}", gives.join(", "), self.op)
    }
    fn infer(&self, _: &[Type]) -> Result<Vec<Type>> {
        Ok(self.gives.clone())
    }
    fn evaluate(&self, _: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        Some(Err(self.error()))
    }
    fn stablehlo(&self, _: &[Type], _: &[String]) -> Option<Result<String>> {
        Some(Err(self.error()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{holds, opaque};
    use super::*;
    use crate::program::Program;

    /// Twice its operand, by code that nothing knows.
    #[derive(Debug)]
    struct Twice;
    impl CustomOp for Twice {
        fn name(&self) -> &str {
            "test.twice_opaque"
        }
        fn attributes(&self) -> String {
            "a: \"b\"".into()
        }
        fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
            Ok(x.to_vec())
        }
    }

    #[test]
    fn an_op_of_the_users_is_read_as_its_name_where_its_code_is_not() {
        let mut b = crate::Builder::new();
        let x = b.inputs(&[Type::new(crate::DType::F32, [2])]);
        let y = b.push(Custom::new(Twice), &x);
        let p = opaque(&b.finish(&y), &|op| !op.is_readable());
        assert!(!p.equations().iter().any(|e| holds(&e.op, &|op| !op.is_readable())));
        let read = Program::parse(&p.to_text()).unwrap();
        assert_eq!(read, p);
        let Op::Custom(op) = &read.equations()[0].op else { panic!("{read}") };
        assert_eq!(op.text(), "test.twice_opaque[attributes=\"a: \\\"b\\\"\"]");
        let e = op.evaluate(&[Tensor::splat([2], crate::Scalar::F32(1.0))]).unwrap().unwrap_err();
        assert!(e.message().contains("`test.twice_opaque` is code of the user's"), "{e}");
    }
}
