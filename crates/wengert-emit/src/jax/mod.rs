//! Runs as Python files against JAX: the functions of the tree one after another, then what calls the outermost of them.

mod control;
mod effort;
mod elementwise;
mod function;
mod helpers;
mod indexing;
mod layout;
mod linalg;
mod literal;
mod ops;
mod reverse;
mod script;
mod transforms;
mod windowed;

use crate::data::{DataFile, Written};
use crate::expand::{jax_lacks, prepared};
use crate::files::MARK;
use crate::names::Names;
use crate::tree::{Does, FunctionId, OwnCall, OwnFunction};
use crate::{CallTree, Emitted, Options, RecordedCall, RecordedOp, Run};
use helpers::Helper;
use layout::Expr;
use std::collections::BTreeSet;
use std::sync::Arc;
use wengert_core::{DType, Error, Result, Tensor};

/// Words of Python, and the functions it has without an import.
const PYTHON: &str = "and as assert async await break case class continue def del elif else except finally for from global \
    if import in is lambda match nonlocal not or pass raise return try type while with yield none true false \
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright \
    credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash \
    help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open \
    ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple vars \
    zip";

/// The run as one Python file, which needs pip's JAX and the file of arrays, if there are any.
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_emit::{CallTree, Options, Run, jax};
///
/// let program = Program::parse("program double(x: f32[2]) { y: f32[2] = add(x, x) return y }")?;
/// let inputs = vec![Tensor::from_slice([2], &[1.0f32, 2.0])?];
/// let run = Run { tree: CallTree::of_program(&program), inputs, outcome: None };
/// let text = jax(&run, &Options::default())?.text;
/// assert!(text.contains("def double(x):\n    y = lax.add(x, x)\n    return y\n"));
/// # Ok::<(), wengert_core::Error>(())
/// ```
///
/// # Errors
/// If an op can't be said in JAX; the error has its name and place. If there are not as many inputs as parameters.
pub fn jax(run: &Run, options: &Options) -> Result<Emitted> {
    let takes = run.tree.main().parameters.len();
    if run.inputs.len() != takes {
        return Err(Error::malformed(format!(
            "a run of a function that takes {takes} arrays can't be emitted with {} inputs",
            run.inputs.len()
        )));
    }
    let run = &prepared(run, options, jax_lacks)?;
    let tree = &run.tree;
    let mut file = File::new(tree, options);
    let mut parts = Vec::with_capacity(tree.functions.len());
    for id in (0..tree.functions.len()).filter(|&id| !tree.is_inline(id)) {
        parts.push(function::define(&mut file, id)?);
    }
    let outermost = file.names.last().expect("a tree has a function").clone();
    let script = script::script(&mut file, run, &outermost);
    let notes: Vec<String> = reverse::note(tree, &file.names).into_iter().collect();
    let parts = [file.table_texts(), parts].concat();
    let text = file.text(run, &notes, &parts, &script);
    Ok(Emitted { notes, ..file.data.emitted(text) })
}

/// A file as it is written.
struct File<'r> {
    tree: &'r CallTree,
    options: &'r Options,
    /// The names of functions, by their number.
    names: Vec<String>,
    /// Names that no variable may have.
    taken: Names,
    data: DataFile,
    helpers: BTreeSet<Helper>,
    /// What code of the user's gave, by the names that it has in the text. These are no arrays of a function that is traced.
    tables: Vec<(Arc<RecordedOp>, String)>,
    /// Whether it uses `jax.extend`.
    extends: bool,
    /// Whether the text has numbers of NumPy's.
    uses_numpy: bool,
    uses_sys: bool,
}

impl<'r> File<'r> {
    fn new(tree: &'r CallTree, options: &'r Options) -> File<'r> {
        // A name that Rust does not take either is the same in both: the run may be one of a Rust file that was written here.
        let mut taken = crate::rust::taken();
        [PYTHON, helpers::NAMES].iter().flat_map(|n| n.split_whitespace()).for_each(|name| taken.reserve(name));
        let names = tree.function_names(&mut taken);
        let data = DataFile::new(options);
        File {
            tree,
            options,
            names,
            taken,
            data,
            helpers: BTreeSet::new(),
            tables: Vec::new(),
            extends: false,
            uses_numpy: false,
            uses_sys: false,
        }
    }

    fn helper(&mut self, helper: Helper) {
        self.helpers.insert(helper);
    }

    /// A call of what tells the error that a function failed with from others: where the file raises the error itself, by its
    /// message; the words of JAX are not those that were recorded.
    fn check_error(&mut self, id: FunctionId) -> Expr {
        self.helper(Helper::CheckError);
        self.uses_sys = true;
        let message = raised(self.tree, id).map(|message| Expr::atom(literal::string(message)));
        Expr::call("check_error", [Expr::atom("error")].into_iter().chain(message))
    }

    /// The name of what code of the user's gave.
    fn table(&mut self, op: &Arc<RecordedOp>) -> String {
        if let Some((_, name)) = self.tables.iter().find(|(other, _)| other == op) {
            return name.clone();
        }
        let name = self.taken.fresh(&format!("{}_calls", op.name));
        self.tables.push((op.clone(), name.clone()));
        name
    }

    /// The text of these.
    fn table_texts(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        for (op, name) in std::mem::take(&mut self.tables) {
            let mut text = String::new();
            let call = |call: &RecordedCall| {
                let mut both =
                    |kind: &str, arrays: &[Tensor]| Expr::List(arrays.iter().map(|t| self.array(kind, t)).collect());
                Expr::Tuple(vec![both("given", &call.given), both("gave", &call.gave)])
            };
            let about = match op.calls.is_empty() {
                true => format!("{} was never called in the recorded run.", op.name),
                false => format!("What {} gave, for what it was given.", op.name),
            };
            layout::line(&mut text, 0, &format!("# {}", literal::comment(&about)));
            let calls = op.calls.iter().map(call).collect();
            layout::assign(&mut text, 0, &Expr::atom(&name), &Expr::List(calls));
            texts.push(text);
        }
        texts
    }

    /// An array: its elements, or where they are. `kind` begins its name in the file of arrays.
    fn array(&mut self, kind: &str, t: &Tensor) -> Expr {
        let name = format!("{kind}_{}", self.data.len());
        match self.data.written(&name, t) {
            Written::Inline => literal::array(t),
            Written::Repeated(value) => literal::repeated(t.shape(), value),
            Written::File(name) => {
                // The format of the file has no complex numbers of two `f64`: an axis of their own holds the parts.
                let parts = if t.dtype() == DType::C128 { ".view(np.complex128)[..., 0]" } else { "" };
                Expr::call("jnp.asarray", [Expr::atom(format!("data[{}]{parts}", literal::string(&name)))])
            }
        }
    }

    /// Whether some array has elements of 64 bits, or is computed by way of such.
    fn is_wide(&self, run: &Run) -> bool {
        let variables = self.tree.functions.iter().flat_map(|f| &f.variables);
        variables.map(|v| v.ty.dtype).chain(run.inputs.iter().map(Tensor::dtype)).any(literal::is_wide)
            || self.helpers.contains(&Helper::MulAdd)
    }

    /// All of the file: what functions use, the functions, and the script with what it uses.
    fn text(&self, run: &Run, notes: &[String], functions: &[String], script: &str) -> String {
        let helpers = helpers::closed(self.helpers.clone());
        let has_data = !self.data.is_empty();
        let mut text = String::new();
        let mut put = |line: &str| layout::line(&mut text, 0, line);
        put(&format!("# {MARK}"));
        notes.iter().for_each(|note| put(&format!("# {}", literal::comment(note))));
        put("");
        if has_data {
            put("import json");
            put("import pathlib");
        }
        if self.uses_sys {
            put("import sys");
        }
        if has_data || self.uses_sys {
            put("");
        }
        put("import jax");
        if self.extends {
            put("import jax.extend");
        }
        put("import jax.numpy as jnp");
        if has_data || self.uses_numpy || helpers.iter().any(|h| h.uses_numpy()) {
            put("import numpy as np");
        }
        put("from jax import lax");
        put("");
        if self.is_wide(run) {
            put("jax.config.update(\"jax_enable_x64\", True)");
        }
        put("jax.config.update(\"jax_default_matmul_precision\", \"highest\")");
        let apart = |text: &mut String, part: &str| {
            text.push_str("\n\n");
            text.push_str(part);
        };
        if has_data {
            apart(&mut text, helpers::READ_SAFETENSORS);
            apart(&mut text, &format!("data = read_safetensors({})\n", literal::string(&self.options.data_file)));
        }
        helpers.iter().filter(|h| !h.is_for_script()).for_each(|h| apart(&mut text, h.text()));
        functions.iter().for_each(|part| apart(&mut text, part));
        helpers.iter().filter(|h| h.is_for_script()).for_each(|h| apart(&mut text, h.text()));
        apart(&mut text, script);
        text
    }
}

/// The message of the error that a file raises itself where a function failed.
fn raised(tree: &CallTree, id: FunctionId) -> Option<&str> {
    let (step, inside) = tree.failed_step(id)?;
    match (&step.does, inside) {
        (_, Some(inside)) => raised(tree, inside),
        (Does::Raise(message), None) => Some(message),
        (Does::Own(OwnCall { function: OwnFunction { jax: None, .. }, message, .. }), None) => Some(message),
        _ => None,
    }
}
