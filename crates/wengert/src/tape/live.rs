//! A function and the tape of its last run: change a value, and only what depends on it is done again.

use crate::array::{Array, Repr};
use crate::device::Device;
use crate::fail::{fail, ok};
use crate::function::{Args, Function, SharedFn};
use crate::stage::FlatArgs;
use crate::tape::{Recorder, finish};
use crate::trace::no_value_to_keep;
use crate::tree::Tree;
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Place, Result};
use wengert_tape::record::Recording;
use wengert_tape::{Capture, Changes, HostNumber, Kind, NodeId, ResultId, Tape};

/// A function, and the tape of its last run with all values: see [`Recorder::live`].
pub struct LiveRun<'f, A: Args, R: Tree> {
    f: SharedFn<'f, A, R>,
    recorder: Recorder,
    name: String,
    place: Place,
    structure: A::Structure,
    arguments: Vec<NodeId>,
    out: R::Structure,
    /// Not shared, except while the function runs again and takes values from it.
    tape: Arc<Tape>,
    numbers: GivenNumbers,
    /// A number of the host that is another than in the run, where it is not known which of those the run gave it is.
    outdated: Option<NodeId>,
}

/// The numbers that a run gave among its results, and the numbers of its tape that they are.
#[derive(Default)]
struct GivenNumbers {
    /// What the result is made of, as its function says: the nodes, and what they gave in the run.
    from: Vec<(Option<ResultId>, HostNumber)>,
    /// For each number of the result, which of these it may be: those that were equal to it in the run. None if that is not
    /// known of all.
    of: Option<Vec<Vec<usize>>>,
}

impl GivenNumbers {
    fn new<R: Tree>(tape: &Tape, call: Option<NodeId>, out: &R::Structure) -> GivenNumbers {
        let Some(call) = call else { return GivenNumbers::default() };
        let Some(from) = tape.numbers_given_by(call) else {
            // Any of the numbers that it refers to may be a part.
            let refers = tape.host_values_given_by(call);
            return GivenNumbers { from: refers.map(|(r, x)| (Some(r), x)).collect(), of: None };
        };
        let (mut given, mut structure) = (Vec::new(), out.clone());
        let all = R::replace_numbers(&mut structure, &mut |x| {
            given.push(x);
            x
        });
        // What stands in the source may be of any type there.
        let is = |(node, y): &(Option<ResultId>, HostNumber), x: &HostNumber| match node {
            Some(_) => x == y,
            None => x.scalar().as_f64() == y.scalar().as_f64(),
        };
        let of = given.iter().map(|x| (0..from.len()).filter(|&i| is(&from[i], x)).collect::<Vec<_>>());
        let of: Vec<Vec<usize>> = of.collect();
        let known = all && given.len() == from.len() && of.iter().all(|of| !of.is_empty());
        GivenNumbers { from, of: known.then_some(of) }
    }

    /// The numbers of the result as they are on the tape now; or one that is another than in the run, where it is not known which
    /// of them it is.
    fn now(&self, tape: &Tape) -> std::result::Result<Vec<Option<HostNumber>>, NodeId> {
        let now = |i: usize| {
            let (node, was) = self.from[i];
            node.map_or(Some(was), |r| tape.node(r.node).number(r.out))
        };
        let changed = || (0..self.from.len()).find(|&i| now(i) != Some(self.from[i].1)).and_then(|i| self.from[i].0);
        let Some(of) = &self.of else { return changed().map_or(Ok(Vec::new()), |r| Err(r.node)) };
        let one = |of: &Vec<usize>| {
            let x = now(of[0]);
            of.iter().all(|&i| now(i) == x).then_some(x)
        };
        let all: Option<Vec<Option<HostNumber>>> = of.iter().map(one).collect();
        all.ok_or_else(|| changed().map_or(NodeId::from(0), |r| r.node))
    }
}

impl Recorder {
    /// Runs a function and keeps its tape with all values, so that arguments can be changed and the results follow.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// // A decision of the host: it goes another way once the sum is negative.
    /// let f = |x: Array, y: Array| if &x + &y > 0.0 { x * y } else { -y };
    /// let mut live = Recorder::new().live(f, (Array::from(2.0f32), Array::from(3.0f32)));
    /// assert_eq!(live.value().item::<f32>(), 6.0);
    /// live.set(live.argument(0), Array::from(4.0f32)).unwrap();
    /// assert_eq!(live.update().unwrap().changed.len(), 2);
    /// assert_eq!(live.value().item::<f32>(), 12.0);
    /// live.set(live.argument(0), Array::from(-5.0f32)).unwrap();
    /// assert!(live.update().is_err());
    /// live.update_or_rerun().unwrap();
    /// assert_eq!(live.value().item::<f32>(), -3.0);
    /// ```
    ///
    /// What a context leaves out can't be followed: where a change may reach it, [`LiveRun::update`] is an error, and
    /// [`LiveRun::update_or_rerun`] runs the function again.
    ///
    /// # Panics
    /// If a context leaves out the arguments, or if arrays that the function takes or gives have no values: inside of a staged
    /// function.
    #[track_caller]
    pub fn live<'f, A: Args + 'f, F>(mut self, f: F, args: A) -> LiveRun<'f, A, F::Output>
    where
        F: Function<A> + Send + Sync + 'f,
        F::Output: Tree + 'f,
    {
        self.settings.capture = Capture::Values;
        let (name, place) = (f.name().to_string(), Place::caller());
        let f: SharedFn<'f, A, F::Output> = Arc::new(move |a| f.call(a));
        let flat = FlatArgs::new(&args);
        let structure = flat.structure.clone();
        let Ran { tape, arguments, out, numbers } = run(&f, &self, &name, &place, flat, None);
        LiveRun { f, recorder: self, name, place, structure, arguments, out, tape, numbers, outdated: None }
    }
}

/// A run, as it was recorded.
struct Ran<R: Tree> {
    tape: Arc<Tape>,
    arguments: Vec<NodeId>,
    out: R::Structure,
    numbers: GivenNumbers,
}

/// What a run takes and gives has to have a value.
fn refuse_variables(x: &[Array], place: &Place) {
    let hidden = x.iter().find_map(|x| match &x.0 {
        Repr::Traced(t) => t.shown_value().is_none().then_some(t),
        Repr::Concrete(_) => None,
    });
    if let Some(t) = hidden {
        fail(no_value_to_keep(t, place.clone()));
    }
}

/// Runs and records a function, taking from another tape what is the same up to a node.
fn run<A: Args, R: Tree>(
    f: &SharedFn<'_, A, R>,
    recorder: &Recorder,
    name: &str,
    place: &Place,
    flat: FlatArgs<A>,
    replay: Option<(Arc<Tape>, NodeId)>,
) -> Ran<R> {
    let scope = Recording::start(recorder.settings.clone(), name, place);
    if let Some((tape, until)) = replay {
        scope.replay(tape, until);
    }
    let names = flat.names();
    let FlatArgs { mut leaves, structure } = flat;
    refuse_variables(&leaves, place);
    for (x, n) in leaves.iter_mut().zip(&names) {
        scope.argument(n, x, place);
    }
    // The arguments are the first children of the root.
    let arguments = (1..=leaves.len() as u32).map(NodeId::from).collect();
    let out = f(A::unflatten(&structure, &mut leaves.into_iter()));
    // A reference to a function is that function.
    let call = scope.follow_call(name.trim_start_matches('&'));
    let tape = finish(scope, &out, place);
    let recorded = tape.root().children().filter(|n| n.kind() == Kind::Argument).count();
    if recorded != names.len() {
        let m = "a function whose arguments its context leaves out can't be changed and followed";
        fail(Error::new(ErrorKind::Run, m).at(place.clone()));
    }
    let mut given = Vec::new();
    let out = out.flatten(&mut given);
    refuse_variables(&given, place);
    let numbers = GivenNumbers::new::<R>(&tape, call, &out);
    Ran { tape: Arc::new(tape), arguments, out, numbers }
}

/// What [`LiveRun::update_or_rerun`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// Only what depends on the changes was computed.
    Updated(Changes),
    /// A decision went another way, the host read another value, or something was not recorded that may depend on the
    /// changes: the function was run again, what it did before this node taken from the tape.
    Reran(NodeId),
}

impl<A: Args, R: Tree> LiveRun<'_, A, R> {
    /// The tape of the last run.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let live = Recorder::new().live(|x: Array| x * 2.0, (Array::from(1.0f32),));
    /// assert!(live.tape().to_string().contains("mul"));
    /// ```
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// The node of an argument, counted over the arrays of all arguments.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let live = Recorder::new().live(|x: Array| x * 2.0, (Array::from(1.0f32),));
    /// assert!(live.tape().node(live.argument(0)).value(0).is_some());
    /// ```
    #[track_caller]
    pub fn argument(&self, i: usize) -> NodeId {
        self.arguments[i]
    }

    /// Gives a node, or with `(node, 1)` its second result, another value; [`LiveRun::update`] makes the rest follow. What is
    /// computed keeps this value from then on, until [`LiveRun::unset`].
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let mut live = Recorder::new().live(|x: Array| x * 2.0, (Array::from(1.0f32),));
    /// live.set(live.argument(0), Array::from(5.0f32))?;
    /// live.update()?;
    /// assert_eq!(live.value().item::<f32>(), 10.0);
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn set(&mut self, result: impl Into<ResultId>, value: impl Into<Array>) -> Result<()> {
        Arc::make_mut(&mut self.tape).set(result, value.into().to_tensor())
    }

    /// Takes back what was set: a result that is computed is so again at the next update, an array from outside is what it
    /// was.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let mut live = Recorder::new().live(|x: Array| x.exp().named("y") + 1.0, (Array::from(0.0f32),));
    /// let y = live.tape().nodes().find(|n| n.name() == Some("y")).unwrap().id();
    /// live.set(y, Array::from(5.0f32))?;
    /// live.update()?;
    /// assert_eq!(live.value().item::<f32>(), 6.0);
    /// live.unset(y);
    /// live.update()?;
    /// assert_eq!(live.value().item::<f32>(), 2.0);
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn unset(&mut self, result: impl Into<ResultId>) {
        Arc::make_mut(&mut self.tape).unset(result);
    }

    /// Recomputes what depends on the values that were set. A decision that would go another way is an error, and so is
    /// something that was not recorded and may depend on the changes, and a value that the host read and that is another
    /// now, unless all that it did with it is on the tape.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let mut live = Recorder::new().live(|x: Array| x * 2.0, (Array::from(1.0f32),));
    /// live.set(live.argument(0), Array::from(5.0f32))?;
    /// assert!(!live.update()?.changed.is_empty());
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn update(&mut self) -> Result<Changes> {
        let changes = self.follow()?;
        match self.tape.stale_reads().next() {
            None => match self.outdated {
                None => Ok(changes),
                Some(number) => {
                    let n = self.tape.node(number);
                    let m = format!(
                        "the run gave values that are no arrays, and one that they may be made of is another now ({number})"
                    );
                    Err(Error::new(ErrorKind::Flipped, m)
                        .at(n.place())
                        .note("`update_or_rerun` runs the function again"))
                }
            },
            Some(read) => {
                let m = format!(
                    "the host read a value here (`{}`, {}), which is another now: what it did with it is not on the tape",
                    read.function(),
                    read.id()
                );
                Err(Error::new(ErrorKind::Flipped, m)
                    .at(read.place())
                    .note("`update_or_rerun` runs the function again from there"))
            }
        }
    }

    fn follow(&mut self) -> Result<Changes> {
        let changes = Arc::make_mut(&mut self.tape).update(&Device::cpu())?;
        match self.numbers.now(&self.tape) {
            Err(number) => self.outdated = Some(number),
            Ok(now) => {
                self.outdated = None;
                let mut now = now.into_iter();
                R::replace_numbers(&mut self.out, &mut |x| now.next().flatten().unwrap_or(x));
            }
        }
        Ok(changes)
    }

    /// [`LiveRun::update`]; where a decision goes another way, the host read a value that is different now, or something was not
    /// recorded, the function is run again from there. What was set before that keeps its value.
    ///
    /// # Errors
    /// If something was set that a run would not see: an array that the function has from elsewhere, or what is computed
    /// only after the place to run from. Make it an argument, or [`LiveRun::unset`] it.
    ///
    /// ```
    /// use wengert::{Array, Recorder, tape::UpdateOutcome};
    /// let abs = |x: Array| if x > 0.0 { x } else { -x };
    /// let mut live = Recorder::new().live(abs, (Array::from(1.0f32),));
    /// live.set(live.argument(0), Array::from(-5.0f32))?;
    /// assert!(matches!(live.update_or_rerun()?, UpdateOutcome::Reran(_)));
    /// assert_eq!(live.value().item::<f32>(), 5.0);
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn update_or_rerun(&mut self) -> Result<UpdateOutcome> {
        let from = match self.follow() {
            // What the host did with a value that it read is not on the tape.
            Ok(changes) => match self.tape.stale_reads().next() {
                Some(read) => read.id(),
                None if self.outdated.is_none() => return Ok(UpdateOutcome::Updated(changes)),
                // All arrays are what they would be: the host alone is asked again.
                None => NodeId::from(self.tape.len() as u32 - 1),
            },
            Err(e) => self.tape.stopped().ok_or(e)?.id(),
        };
        if let Some(lost) = self.tape.fixed().find(|r| !self.is_recalled(*r, from)) {
            return Err(self.lost(lost, from));
        }
        let leaves = self.arguments.iter().map(|&a| self.result(a, 0)).collect::<Result<Vec<Array>>>()?;
        // Until the run is over, this one stays.
        let old = self.tape.clone();
        let flat = FlatArgs { leaves, structure: self.structure.clone() };
        let Ran { mut tape, arguments, out, numbers } =
            run(&self.f, &self.recorder, &self.name, &self.place, flat, Some((old.clone(), from)));
        for fixed in old.fixed() {
            if !keep_fixed(Arc::make_mut(&mut tape), &old, fixed) {
                return Err(self.lost(fixed, from));
            }
        }
        (self.tape, self.arguments, self.out, self.numbers, self.outdated) = (tape, arguments, out, numbers, None);
        Ok(UpdateOutcome::Reran(from))
    }

    /// Whether a run from this node takes the value of a result from the tape.
    fn is_recalled(&self, result: ResultId, from: NodeId) -> bool {
        result.node < from && self.tape.node(result.node).op().is_some()
    }

    /// The error that a run would not see the value that a result was set to.
    fn lost(&self, result: ResultId, from: NodeId) -> Error {
        let n = self.tape.node(result.node);
        let error = |m: String| Error::new(ErrorKind::Run, m).at(n.place());
        match n.op() {
            None => {
                error(format!("{result} came from outside the function, and can't be changed for another run of it"))
                    .note("make it an argument of the function")
            }
            Some(_) => error(format!("{result} was set, and a run from {from} on would compute it again"))
                .note("`unset` it, or make what it is set to an argument of the function"),
        }
    }

    fn result(&self, node: NodeId, out: usize) -> Result<Array> {
        let n = self.tape.node(node);
        n.value(out).map(Array::from_tensor).ok_or_else(|| {
            let (why, what) = match self.tape.limited() {
                Some(_) => (
                    "was cut to a summary: the memory limit of the recorder was reached",
                    "give `Recorder::limit` more bytes",
                ),
                None => ("was left out by the context of the recorder", "record what the function gives"),
            };
            Error::new(ErrorKind::Run, format!("the value of {node} {why}")).at(n.place()).note(what)
        })
    }

    /// What the function gives, with all changes that were followed.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let live = Recorder::new().live(|x: Array| x * 2.0, (Array::from(1.0f32),));
    /// assert_eq!(live.value().item::<f32>(), 2.0);
    /// ```
    #[track_caller]
    pub fn value(&self) -> R {
        let root = self.tape.root();
        let arrays = (0..root.result_count()).filter(|&i| root.ty(i).is_some() && root.host_type().is_none());
        R::unflatten(&self.out, &mut arrays.map(|i| ok(self.result(root.id(), i))))
    }
}

/// Sets a result on the tape of another run to the value it was set to here; whether it has that value there.
fn keep_fixed(tape: &mut Tape, old: &Tape, result: ResultId) -> bool {
    let function = |tape: &Tape| tape.get(result.node).map(|n| n.function().to_string());
    let Some(value) = old.node(result.node).value(result.out) else { return false };
    let same = function(tape) == function(old) && tape.set(result, value).is_ok();
    // A value that differs would have to be followed.
    same && tape.set_nodes().next().is_none()
}
