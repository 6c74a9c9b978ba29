//! `vmap`: a function of one example as a function of a batch.

use crate::array::Array;
use crate::array::{Stager, StagingInfo};
use crate::dispatch::inline;
use crate::fail::ok;
use crate::function::{Args, Func, Function, SharedFn, callable};
use crate::named_axes::with_axis;
use crate::stage::trace;
use crate::stage::{FlatArgs, call_flat};
use crate::tape;
use crate::trace::TraceArgument;
use crate::tree::{Tree, leaves, tree_paths};
use std::sync::Arc;
use wengert_core::transform::batch;
use wengert_core::{Error, ErrorKind, Place, Program, Result, counted};
use wengert_tape::api::{AXIS_NAME, IN_AXES, OUT_AXES, OUT_AXIS, SIZE};
use wengert_tape::record;

/// A batched function: see [`vmap`]. Call it like the function it was made from.
pub struct Vmap<'f, A: Args + 'f, R: Tree + 'f> {
    f: SharedFn<'f, A, R>,
    options: VmapOptions,
    call: Func<'f, A, R>,
}

#[derive(Clone)]
struct VmapOptions {
    info: StagingInfo,
    /// For each argument, the axis of its leaves that is the batch; none: the argument is shared. Empty: all 0.
    in_axes: Vec<Option<isize>>,
    /// The same for arrays of the arguments, by path; the last that names an array counts.
    in_axes_at: Vec<AxisAt>,
    /// Where the batch goes in each result leaf.
    out_axis: isize,
    /// The same for arrays of the result, by path; none: it does not depend on the example.
    out_axes_at: Vec<AxisAt>,
    name: Option<Arc<str>>,
    size: Option<usize>,
}

/// Turns a function of one example into a function of a batch, without a loop.
///
/// By default the batch is the leading axis of every array in every argument and result.
///
/// ```
/// use wengert::{vmap, Array};
/// let dot = |x: Array, y: Array| (x * y).sum(..);
/// let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
/// let y = Array::from([10.0f32, 100.0]);
/// let all = vmap(dot).in_axes([Some(0), None])(x, y);
/// assert_eq!(all.to_vec::<f32>(), [210.0, 430.0]);
/// ```
#[track_caller]
pub fn vmap<'f, A: Args + 'f, F>(f: F) -> Vmap<'f, A, F::Output>
where
    F: Function<A> + Send + Sync + 'f,
    F::Output: Tree + 'f,
{
    let info = StagingInfo { by: Stager::Vmap, function: f.name().into(), place: Place::caller() };
    let options = VmapOptions {
        info,
        in_axes: Vec::new(),
        in_axes_at: Vec::new(),
        out_axis: 0,
        out_axes_at: Vec::new(),
        name: None,
        size: None,
    };
    Vmap::new(Arc::new(move |a| f.call(a)), options)
}

impl<'f, A: Args + 'f, R: Tree + 'f> Vmap<'f, A, R> {
    fn new(f: SharedFn<'f, A, R>, options: VmapOptions) -> Self {
        let (g, c) = (f.clone(), options.clone());
        let call = Func::new(&options.info.function, move |args: A| {
            ok(tape::transform(&c.info, || leaves(&args), || batched(&c, &args, &*g), leaves))
        });
        Vmap { f, options, call }
    }

    /// For each argument, the axis of its arrays that is the batch; `None` shares the argument among all examples: the
    /// function gets it with its value, if that is known outside, and may read it.
    ///
    /// ```
    /// use wengert::{vmap, Array};
    /// let add = vmap(|x: Array, y: Array| x.sum(..) + y).in_axes([Some(1), None]);
    /// let y = add(Array::from([[1.0f32, 2.0], [3.0, 4.0]]), Array::from(10.0f32));
    /// assert_eq!(y.to_vec::<f32>(), [14.0, 16.0]);
    /// ```
    pub fn in_axes(mut self, axes: impl Into<Vec<Option<isize>>>) -> Self {
        self.options.in_axes = axes.into();
        Vmap::new(self.f, self.options)
    }

    /// The axis of single arrays of the arguments that is the batch, or none, by path: `"0.weight"` is the field `weight` of the
    /// first argument, and `"0"` all of that argument. What is not named stays as [`Vmap::in_axes`] has it.
    ///
    /// ```
    /// use wengert::{vmap, Array, Tree};
    ///
    /// #[derive(Tree)]
    /// struct Line {
    ///     slope: Array,
    ///     offset: Array,
    /// }
    /// let at = vmap(|line: Line, x: Array| line.slope * x + line.offset).in_axes_at([("0.offset", None), ("1", None)]);
    /// let line = Line { slope: Array::from([1.0, 2.0]), offset: Array::from(0.5) };
    /// assert_eq!(at(line, Array::from(10.0)).to_vec::<f64>(), [10.5, 20.5]);
    /// ```
    pub fn in_axes_at<'a>(mut self, axes: impl IntoIterator<Item = (&'a str, Option<isize>)>) -> Self {
        self.options.in_axes_at.extend(axes.into_iter().map(|(path, axis)| (path.into(), axis)));
        Vmap::new(self.f, self.options)
    }

    /// The axis of the results that is the batch.
    ///
    /// ```
    /// use wengert::{vmap, Array};
    /// let rows = Array::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(vmap(|x: Array| x * 2.0).out_axis(1)(rows).shape()[..], [3, 2]);
    /// ```
    pub fn out_axis(mut self, axis: isize) -> Self {
        self.options.out_axis = axis;
        Vmap::new(self.f, self.options)
    }

    /// The axis of single arrays of the result that is the batch, by path: `"1"` is the second of a tuple. `None` says that an
    /// array is the same for all examples, and gives it once; it is an error if it is not.
    ///
    /// ```
    /// use wengert::{psum, vmap, Array};
    /// let f = |x: Array| (&x * 2.0, &x + 1.0, psum(x, "i"));
    /// let f = vmap(f).axis_name("i").out_axes_at([("1", Some(1)), ("2", None)]);
    /// let (twice, next, sum) = f(Array::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]));
    /// assert_eq!((&twice.shape()[..], &next.shape()[..], sum.to_vec::<f64>()), (&[2, 3][..], &[3, 2][..], vec![5.0, 7.0, 9.0]));
    /// ```
    pub fn out_axes_at<'a>(mut self, axes: impl IntoIterator<Item = (&'a str, Option<isize>)>) -> Self {
        self.options.out_axes_at.extend(axes.into_iter().map(|(path, axis)| (path.into(), axis)));
        Vmap::new(self.f, self.options)
    }

    /// Names the batch, so that `psum` and its relatives inside the function can work over it.
    ///
    /// ```
    /// use wengert::{psum, vmap, Array};
    /// let share = vmap(|x: Array| &x / psum(&x, "all")).axis_name("all");
    /// assert_eq!(share(Array::from([1.0f32, 3.0])).to_vec::<f32>(), [0.25, 0.75]);
    /// ```
    pub fn axis_name(mut self, name: &str) -> Self {
        self.options.name = Some(name.into());
        Vmap::new(self.f, self.options)
    }

    /// The size of the batch, where no argument tells it.
    ///
    /// ```
    /// use wengert::{axis_index, vmap, Array};
    /// let numbers = vmap(|x: Array| x + axis_index("i")).in_axes([None]).axis_name("i").axis_size(3);
    /// assert_eq!(numbers(Array::from(10)).to_vec::<i32>(), [10, 11, 12]);
    /// ```
    pub fn axis_size(mut self, size: usize) -> Self {
        self.options.size = Some(size);
        Vmap::new(self.f, self.options)
    }
}

/// An axis counted from the end if negative.
pub(crate) fn resolve(axis: isize, rank: usize) -> Option<usize> {
    let at = if axis < 0 { axis + rank as isize } else { axis };
    usize::try_from(at).ok().filter(|&a| a < rank)
}

/// The axis of the arrays below a path.
type AxisAt = (Arc<str>, Option<isize>);

/// Sets the axes of the leaves that paths name: of one leaf, or of all below.
fn set_axes(axes: &mut [Option<isize>], at: &[AxisAt], paths: &[String], what: &str) -> Result<()> {
    for (path, axis) in at {
        let below = |p: &String| p.strip_prefix(&**path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let mut named = false;
        for (a, _) in axes.iter_mut().zip(paths).filter(|(_, p)| path.is_empty() || below(p)) {
            *a = *axis;
            named = true;
        }
        if !named {
            let m = format!("`vmap` has an axis for `{path}`, and {what} has no array of that path");
            return Err(Error::new(ErrorKind::Tree, m).note(format!("the paths are `{}`", paths.join("`, `"))));
        }
    }
    Ok(())
}

/// An error of a transform, with the function that was given to it.
fn about_function(e: Error, info: &StagingInfo) -> Error {
    e.at(info.place.clone()).note(format!("the function is {}", info.shown_function()))
}

fn batched<A: Args, R: Tree>(options: &VmapOptions, args: &A, f: &dyn Fn(A) -> R) -> Result<R> {
    let place = options.info.place.clone();
    let flat = FlatArgs::new(args);
    let counts = args.leaf_counts();
    let in_axes = match &options.in_axes {
        axes if axes.is_empty() => vec![Some(0); counts.len()],
        axes if axes.len() == counts.len() => axes.clone(),
        axes => {
            let m = format!("`vmap` of a function of {} got {} in_axes", counted(counts.len(), "argument"), axes.len());
            return Err(about_function(Error::shape(m), &options.info)
                .note("what to do: give an axis, or `None`, for each argument; `in_axes_at` takes them by path"));
        }
    };
    let leaf_axes = counts.iter().zip(in_axes).flat_map(|(&n, axis)| std::iter::repeat_n(axis, n));
    let mut leaf_axes: Vec<Option<isize>> = leaf_axes.collect();
    set_axes(&mut leaf_axes, &options.in_axes_at, &tree_paths::<A>(&flat.structure), "the list of arguments")
        .map_err(|e| e.at(place.clone()))?;
    let at = |(x, axis): (&Array, &Option<isize>)| axis.and_then(|a| resolve(a, x.rank())).map_or(-1, |a| a as i64);
    tape::say_numbers(IN_AXES, flat.leaves.iter().zip(&leaf_axes).map(at));
    tape::say(OUT_AXIS, options.out_axis as i64);
    options.size.into_iter().for_each(|n| tape::say(SIZE, n as i64));
    options.name.iter().for_each(|name| tape::say(AXIS_NAME, name.to_string()));

    let mut size = options.size.map(|s| (s, "axis_size".to_string()));
    let mut inputs = Vec::new();
    let mut batched = Vec::new();
    let mut arguments = Vec::new();
    for ((x, axis), name) in flat.leaves.iter().zip(leaf_axes).zip(flat.names()) {
        batched.push(axis.is_some());
        let mut ty = x.ty();
        let Some(axis) = axis else {
            inputs.push(x.clone());
            arguments.push(TraceArgument::of(x, name));
            continue;
        };
        let Some(at) = resolve(axis, x.rank()) else {
            let m = format!("`vmap` over axis {axis} of `{name}`, which has type {ty}: there is no such axis");
            return Err(about_function(Error::shape(m), &options.info).note(
                "what to do: `.in_axes([..])` says which axis is the batch, and `None` shares an argument among all",
            ));
        };
        let n = ty.shape.0.remove(at);
        match &size {
            None => size = Some((n, format!("`{name}`"))),
            Some((s, _)) if *s == n => {}
            Some((s, other)) => {
                let m = format!("`vmap` over arrays of different sizes: {other} has {s}, and `{name}` has {n}");
                return Err(about_function(Error::shape(m), &options.info).note(
                    "what to do: batch them alike, or share one among all examples with `None` in `.in_axes([..])`",
                ));
            }
        }
        inputs.push(x.move_axis(at as isize, 0));
        arguments.push(TraceArgument::unknown(ty, name));
    }
    let Some((size, _)) = size else {
        return Err(Error::shape("`vmap` over no array: the size of the batch is not known")
            .at(place)
            .note("map over at least one argument, or say `.axis_size(n)`"));
    };

    let axis = options.name.clone().map(|name| (name, size));
    let traced = with_axis(axis, || trace(options.info.clone(), arguments, |x| call_flat(f, &flat.structure, x)))?;
    inputs.extend(traced.captures);
    batched.resize(inputs.len(), false);
    let mut program = traced.program;
    if !record::has_scope() && !inputs.iter().any(Array::is_traced) {
        (program, inputs, batched) = without_known(&program, traced.known, inputs, batched);
    }
    let mut out_axes = vec![Some(options.out_axis); program.outputs().len()];
    let paths = tree_paths::<R>(&traced.out);
    set_axes(&mut out_axes, &options.out_axes_at, &paths, "the result").map_err(|e| e.at(place.clone()))?;
    let demand: Vec<bool> = out_axes.iter().map(Option::is_some).collect();
    let (program, varies) = batch(&program, size, options.name.as_deref(), &batched, &demand)?;
    if let Some(i) = (0..varies.len()).find(|&i| varies[i] && !demand[i]) {
        let m = format!("`vmap` is to give `{}` of the result once, and it depends on the example", paths[i]);
        return Err(Error::shape(m)
            .at(place)
            .note("say the axis that the batch gets in it, or reduce it over the batch"));
    }
    let x: Vec<&Array> = inputs.iter().collect();
    let (mut out, mut said) = (Vec::new(), Vec::new());
    for (y, axis) in inline("batch", &Arc::new(program), &x, place.clone())?.into_iter().zip(out_axes) {
        let Some(axis) = axis else {
            out.push(y);
            said.push(-1);
            continue;
        };
        let Some(at) = resolve(axis, y.rank()) else {
            let m = format!("`vmap` can't put the batch at axis {axis} of a result of type {}", y.ty());
            return Err(Error::shape(m).at(place));
        };
        out.push(y.move_axis(0, at as isize));
        said.push(at as i64);
    }
    if !options.out_axes_at.is_empty() {
        tape::say_numbers(OUT_AXES, said.into_iter());
    }
    Ok(R::unflatten(&traced.out, &mut out.into_iter()))
}

/// What is left of a program where some of its variables have values: it takes those, which are not batched, instead of
/// computing them again.
fn without_known(
    program: &Program,
    known: Vec<Option<Array>>,
    inputs: Vec<Array>,
    batched: Vec<bool>,
) -> (Program, Vec<Array>, Vec<bool>) {
    let mut values: Vec<Option<(Array, bool)>> = known.into_iter().map(|x| x.map(|x| (x, false))).collect();
    for (v, input) in program.inputs().iter().zip(inputs.into_iter().zip(batched)) {
        values[v.index()] = Some(input);
    }
    let is_known: Vec<bool> = values.iter().map(Option::is_some).collect();
    let (part, taken) = program.part(&is_known, program.outputs());
    let (inputs, batched) = taken.iter().filter_map(|v| values[v.index()].take()).unzip();
    (part, inputs, batched)
}

callable!(Vmap<R: Tree> => R);
