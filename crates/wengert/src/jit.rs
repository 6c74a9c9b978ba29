//! `jit`: a function staged once for each type of its arguments, and kept.

use crate::array::{Array, Stager, StagingInfo};
use crate::device::{self, Device};
use crate::dispatch::{StagedCall, call_op, call_staged};
use crate::fail::{fail, ok};
use crate::function::{Args, Func, Function, SharedFn, callable};
use crate::guards;
use crate::named_axes::{Axis, axes};
use crate::paths::{Paths, RunPart, TracedPath, Walk};
use crate::stage::{FlatArgs, TracedFunction, Tracers, leaf_names, stage};
use crate::staged::StagedProgram;
use crate::tape;
use crate::tree::Tree;
use crate::watch;
use rustc_hash::{FxHashMap, FxHasher};
use std::fmt::Display;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use wengert_core::run::Executable;
use wengert_core::simplify::{Pass, Simplifier};
use wengert_core::{Error, MemoryUse, Place, Profile, Program, Result, Type, counted};
use wengert_cpu::Rewrite;
use wengert_tape::record;

/// How many programs one function keeps, unless told otherwise.
const CAPACITY: usize = 256;
/// After how many programs that differ in one plain value alone there is a warning.
const STAGED_BY_PLAIN_VALUES: u64 = 5;

/// Whether each line of [`Jit::explain`] is also printed.
fn tells_as_it_happens() -> bool {
    std::env::var_os("WENGERT_EXPLAIN").is_some_and(|v| v != "0")
}

/// How many misses are remembered for [`Jit::explain`].
const REMEMBERED: usize = 64;

/// A staged function. Call it like the function it was made from.
///
/// It traces the function once for each tree structure, element types, shapes and plain values of the arguments, and
/// keeps the compiled program. Safe to call from many threads.
pub struct Jit<'f, A: Args + 'f, R: Tree + 'f> {
    inner: Arc<Inner<'f, A, R>>,
    call: Func<'f, A, R>,
}

struct Inner<'f, A: Args, R: Tree> {
    f: SharedFn<'f, A, R>,
    info: StagingInfo,
    /// What a tape calls it.
    name: String,
    options: JitOptions,
    cache: RwLock<Vec<Arc<CacheEntry<A, R>>>>,
    capacity: AtomicUsize,
    clock: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    log: Mutex<Vec<String>>,
    /// How many programs were staged for one more plain value.
    by_plain_values: AtomicU64,
}

/// How the user wants the function to run.
#[derive(Clone, Default)]
struct JitOptions {
    /// Where it runs, if that was said.
    device: Option<Device>,
    /// The arguments whose memory its results may take.
    donated: Vec<usize>,
    /// Whether decisions of the host become guards.
    guards: bool,
}

impl JitOptions {
    /// For each leaf of the arguments whether it is donated.
    fn donated_leaves<A: Args>(&self, args: &A, info: &StagingInfo) -> Vec<bool> {
        if self.donated.is_empty() {
            return Vec::new();
        }
        let counts = args.leaf_counts();
        if let Some(i) = self.donated.iter().find(|&&i| i >= counts.len()) {
            let m =
                format!("`jit`: argument {i} is donated, and the function has {}", counted(counts.len(), "argument"));
            fail(Error::shape(m).at(info.place.clone()).note("arguments are counted from 0"));
        }
        let leaves = |(i, &n): (usize, &usize)| std::iter::repeat_n(self.donated.contains(&i), n);
        counts.iter().enumerate().flat_map(leaves).collect()
    }
}

struct CacheEntry<A: Args, R: Tree> {
    hash: u64,
    structure: A::Structure,
    types: Vec<Type>,
    /// The named axes around the call: ops that communicate know their sizes.
    axes: Vec<Axis>,
    kept: Kept<R::Structure>,
    used: AtomicU64,
}

/// What is kept of a function for one type of its arguments.
enum Kept<S> {
    /// Its program, and the structure of what it gives.
    Program(Box<StagedProgram>, S),
    /// The paths it took.
    Paths(Paths<S>),
}

impl<A: Args, R: Tree> CacheEntry<A, R> {
    /// What a function gives for each program.
    fn each<T>(&self, of: impl Fn(&StagedProgram) -> T) -> Vec<T> {
        match &self.kept {
            Kept::Program(staged, _) => vec![of(staged)],
            Kept::Paths(paths) => paths.parts(of),
        }
    }
}

/// Stages a function: it is traced once for each type of its arguments, and the program is kept.
///
/// ```
/// use wengert::{jit, Array};
/// let f = jit(|x: Array, y: Array| x.sin() * y);
/// let x = Array::from([0.0f32, 1.0]);
/// assert_eq!(f(x.clone(), x.clone()).shape()[..], [2]);
/// f(x.clone(), x);
/// assert_eq!((f.misses(), f.hits()), (1, 1));
/// ```
#[track_caller]
pub fn jit<'f, A: Args + 'f, F>(f: F) -> Jit<'f, A, F::Output>
where
    F: Function<A> + Send + Sync + 'f,
    F::Output: Tree + 'f,
{
    let info = StagingInfo { by: Stager::Jit, function: f.name().into(), place: Place::caller() };
    Jit::from_inner(Arc::new(Inner::new(Arc::new(move |a| f.call(a)), info, CAPACITY, JitOptions::default())))
}

/// The largest arrays that are computed while a program is simplified.
const FOLDED: usize = 1024;

/// The program simplified: constants folded, common subexpressions and dead code removed, loop-invariant equations hoisted.
///
/// ```
/// use wengert::{make_program, simplify, Array};
/// let p = make_program(|x: Array| x.sin() * 1.0 + x.sin(), (Array::from(1.0f32),));
/// assert_eq!((p.equation_count(), simplify(&p).equation_count()), (5, 2));
/// ```
pub fn simplify(program: &Program) -> Program {
    simplify_watched(program, |_, _| ())
}

/// As [`simplify`]; `watch` sees the program after each pass that changed it.
///
/// ```
/// use wengert::{make_program, simplify_watched, Array};
/// let p = make_program(|x: Array| x.sin() * 1.0 + x.sin(), (Array::from(1.0f32),));
/// let mut passes = Vec::new();
/// simplify_watched(&p, |pass, _| passes.push(pass.as_str()));
/// assert!(passes.starts_with(&["algebra", "common"]));
/// ```
pub fn simplify_watched(program: &Program, mut watch: impl FnMut(Pass, &Program)) -> Program {
    let simplifier = Simplifier::default().evaluating(&device::run_on_host, FOLDED);
    simplifier.run_watched(program, |pass, p, _| watch(pass, p))
}

/// The program that the CPU runs for a simplified one: rewrites that may change the last place of results, or the order of
/// work, are made; `watch` sees the program after each, with its name and how often it was made. The evaluator gives on this
/// program the very bits that the compiled program gives. Which rewrites are made is said in the variable
/// `WENGERT_REWRITES`: `contract=off,while_in_blocks=3`.
///
/// ```
/// use std::sync::Arc;
/// use wengert::{rewrite_watched, Program};
/// let p = Program::parse("program (x: f32[], y: f32[]) { a: f32[] = mul(x, y) b: f32[] = add(a, x) return b }")?;
/// let p = rewrite_watched(&Arc::new(p), |name, p, count| println!("{count} times {}: {p}", name.as_str()))?;
/// assert!(p.equation_count() <= 2);
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn rewrite_watched(
    program: &Arc<Program>,
    mut watch: impl FnMut(Rewrite, &Program, usize),
) -> Result<Arc<Program>> {
    wengert_cpu::CPU.rewrite(program, &mut watch)
}

impl<'f, A: Args, R: Tree> Inner<'f, A, R> {
    fn new(f: SharedFn<'f, A, R>, info: StagingInfo, capacity: usize, options: JitOptions) -> Self {
        Inner {
            f,
            name: format!("jit {}", info.function),
            info,
            options,
            cache: RwLock::default(),
            capacity: AtomicUsize::new(capacity),
            clock: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            log: Mutex::default(),
            by_plain_values: AtomicU64::new(0),
        }
    }
}

impl<A: Args, R: Tree> Inner<'_, A, R> {
    fn hash(flat: &FlatArgs<A>) -> u64 {
        let mut h = FxHasher::default();
        flat.structure.hash(&mut h);
        for x in &flat.leaves {
            x.dtype().hash(&mut h);
            x.shape().hash(&mut h);
        }
        h.finish()
    }

    fn find(&self, hash: u64, flat: &FlatArgs<A>, axes: &[Axis]) -> Option<Arc<CacheEntry<A, R>>> {
        let same = |e: &&Arc<CacheEntry<A, R>>| {
            e.hash == hash
                && e.structure == flat.structure
                && e.types.len() == flat.leaves.len()
                && e.axes == *axes
                && e.types.iter().zip(&flat.leaves).all(|(t, x)| t.dtype == x.dtype() && t.shape == *x.shape())
        };
        let cache = self.cache.read().unwrap_or_else(PoisonError::into_inner);
        cache.iter().find(same).cloned()
    }

    fn call(&self, args: A) -> R {
        let donated = self.options.donated_leaves(&args, &self.info);
        let flat = FlatArgs::of(args);
        if self.options.guards && flat.leaves.iter().any(|x| x.is_traced() && x.value().is_none()) {
            // Without values no path is chosen: what is around the call traces the function itself.
            return (self.f)(A::unflatten(&flat.structure, &mut flat.leaves.into_iter()));
        }
        let hash = Self::hash(&flat);
        let axes = axes();
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        if let Some(entry) = self.find(hash, &flat, &axes) {
            entry.used.store(now, Ordering::Relaxed);
            if let Kept::Program(..) = &entry.kept {
                self.hits.fetch_add(1, Ordering::Relaxed);
            }
            return self.run(&entry, flat, now);
        }
        let kept = match self.options.guards {
            true => Kept::Paths(Paths::new()),
            false => match self.stage(&flat, &axes, donated) {
                Ok((staged, out)) => Kept::Program(Box::new(staged), out),
                Err(result) => return result,
            },
        };
        let entry = Arc::new(CacheEntry {
            hash,
            structure: flat.structure.clone(),
            types: flat.leaves.iter().map(Array::ty).collect(),
            axes,
            kept,
            used: AtomicU64::new(now),
        });
        let entry = self.keep(entry);
        self.run(&entry, flat, now)
    }

    /// Traces the function for a call. If its program is good for this call alone, what it gives.
    fn stage(
        &self,
        flat: &FlatArgs<A>,
        axes: &[Axis],
        donated: Vec<bool>,
    ) -> std::result::Result<(StagedProgram, R::Structure), R> {
        let before = self.misses.fetch_add(1, Ordering::Relaxed);
        self.explain_miss(before + 1, flat, axes);
        let trace = || stage(self.info.clone(), Tracers::Abstract, flat, &|a| (self.f)(a));
        let TracedFunction { program, captures, out, body, .. } =
            ok(tape::call_if_failed(&self.info, || flat.leaves.clone(), || (), trace));
        if watch::checks_pure() {
            let again = record::silently(trace);
            let same = again.and_then(|again| watch::check_pure(&self.info.shown_function(), &program, &again.program));
            ok(same.map_err(|e| e.at(self.info.place.clone())));
        }
        let program = Arc::new(program);
        if captures.is_empty() {
            return Ok((StagedProgram::new(program, donated, body), out));
        }
        self.tell(format!("  `{}` uses arrays of an enclosing trace, so its program is not kept", self.info.function));
        let x = flat.leaves.iter().cloned().chain(captures).collect();
        let call = StagedCall {
            name: &self.name,
            op: call_op(&program),
            recorded: &OnceLock::new(),
            traced: &program,
            place: &self.info.place,
            body: body.as_ref(),
            executable: None,
        };
        let y = ok(call_staged(call, x, &self.info.place));
        Err(R::unflatten(&out, &mut y.into_iter()))
    }

    /// Keeps an entry, and gives it; or that which another thread has staged meanwhile.
    fn keep(&self, entry: Arc<CacheEntry<A, R>>) -> Arc<CacheEntry<A, R>> {
        let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        let same = |e: &&Arc<CacheEntry<A, R>>| {
            e.structure == entry.structure && e.types == entry.types && e.axes == entry.axes
        };
        if let Some(kept) = cache.iter().find(same) {
            return kept.clone();
        }
        cache.push(entry.clone());
        if cache.len() > self.capacity.load(Ordering::Relaxed) {
            let oldest = (0..cache.len()).min_by_key(|&i| cache[i].used.load(Ordering::Relaxed));
            cache.swap_remove(oldest.expect("not empty"));
        }
        entry
    }

    fn run(&self, entry: &CacheEntry<A, R>, flat: FlatArgs<A>, now: u64) -> R {
        match &entry.kept {
            Kept::Program(staged, out) => {
                let y = staged.call(&self.name, self.options.device.as_ref(), flat.leaves, &self.info.place);
                R::unflatten(out, &mut ok(y).into_iter())
            }
            Kept::Paths(paths) => self.walk(paths, flat, now),
        }
    }

    /// Goes along the path that the arguments decide, and traces what is not there yet.
    fn walk(&self, paths: &Paths<R::Structure>, flat: FlatArgs<A>, now: u64) -> R {
        let mut walk = Walk::new(flat.leaves.clone());
        let run: RunPart<'_> = &|name, staged, x| staged.call(name, self.options.device.as_ref(), x, &self.info.place);
        let mut traced = false;
        loop {
            if let Some((y, out)) = ok(walk.go(paths, run, now)) {
                self.hits.fetch_add(u64::from(!traced), Ordering::Relaxed);
                return R::unflatten(&out, &mut y.into_iter());
            }
            traced = true;
            let number = self.misses.fetch_add(1, Ordering::Relaxed) + 1;
            let StagingInfo { function, place, .. } = &self.info;
            self.tell(format!("path {number} of `{function}` (staged at {place}): {}", walk.missing()));
            let info = StagingInfo { by: Stager::GuardedJit, ..self.info.clone() };
            let decided = walk.decided.clone();
            let f = |args: A| {
                guards::decide(decided.clone());
                (self.f)(args)
            };
            let TracedFunction { program, captures, out, reads, .. } =
                ok(record::silently(|| stage(info, Tracers::Concrete, &flat, &f)));
            if !captures.is_empty() {
                self.tell(format!("  `{function}` uses arrays of an enclosing trace, so its path is not kept"));
                return (self.f)(A::unflatten(&flat.structure, &mut flat.leaves.into_iter()));
            }
            ok(paths.add(&walk, TracedPath { program, reads, out }, self.capacity.load(Ordering::Relaxed)));
        }
    }

    /// Says which part of the key is new, compared with the kept entry that is nearest.
    fn explain_miss(&self, number: u64, flat: &FlatArgs<A>, axes: &[Axis]) {
        let types: Vec<Type> = flat.leaves.iter().map(Array::ty).collect();
        let names = leaf_names::<A>(&flat.structure);
        let new_structures = A::structures(&flat.structure);
        let changed = |what: &str, new: &dyn Display, old: &dyn Display| format!("{what} is {new}, and was {old}");
        let differences = |e: &Arc<CacheEntry<A, R>>| {
            let mut found: Vec<String> = new_structures
                .iter()
                .zip(&A::structures(&e.structure))
                .enumerate()
                .filter(|(_, (new, old))| new != old)
                .map(|(i, (new, old))| changed(&format!("`arg{i}`"), new, old))
                .collect();
            // Leaves that only one of them has are a difference of structures.
            let old_names = leaf_names::<A>(&e.structure);
            let mut plain = old_names == names && !found.is_empty();
            let old_types: FxHashMap<&String, &Type> = old_names.iter().zip(&e.types).collect();
            for (name, new) in names.iter().zip(&types) {
                if let Some(old) = old_types.get(name).filter(|&&old| old != new) {
                    found.push(changed(&format!("`{name}`"), new, old));
                    plain = false;
                }
            }
            if e.axes != *axes {
                plain = false;
                found.push(changed("what is around it", &named(axes), &named(&e.axes)));
            }
            (found, plain)
        };
        let cache = self.cache.read().unwrap_or_else(PoisonError::into_inner);
        let nearest = cache.iter().map(differences).min_by_key(|(found, _)| found.len());
        drop(cache);
        let (why, plain) = match nearest {
            Some((found, plain)) => (found.join("; "), plain),
            None => ("nothing is kept yet".to_string(), false),
        };
        self.tell(format!("miss {number} of `{}` (staged at {}): {why}", self.info.function, self.info.place));
        // What the user said is static is meant to be.
        if plain && !why.contains("Static(") {
            self.warn_of_plain_value(&why);
        }
    }

    /// Says once, after a few times, that a plain value which differs from call to call is better given as an array.
    fn warn_of_plain_value(&self, difference: &str) {
        if self.by_plain_values.fetch_add(1, Ordering::Relaxed) + 1 != STAGED_BY_PLAIN_VALUES {
            return;
        }
        let text = format!(
            "warning: {} was staged {STAGED_BY_PLAIN_VALUES} times more for a plain value that differs from call to call: \
             {difference}. A plain value is part of the program; give it as an array, as in `Array::from(0.1)`, and one \
             program takes them all",
            self.info.shown_function()
        );
        if !tells_as_it_happens() {
            eprintln!("{text}");
        }
        self.tell(text);
    }

    /// Remembers a line for [`Jit::explain`].
    fn tell(&self, text: String) {
        if tells_as_it_happens() {
            eprintln!("{text}");
        }
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if log.len() == REMEMBERED {
            log.remove(0);
        }
        log.push(text);
    }
}

/// Named axes, for messages.
fn named(axes: &[Axis]) -> String {
    let each: Vec<String> = axes.iter().map(|(name, size)| format!("axis `{name}` of {size}")).collect();
    if each.is_empty() { "no named axis".into() } else { each.join(", ") }
}

impl<'f, A: Args + 'f, R: Tree + 'f> Jit<'f, A, R> {
    fn from_inner(inner: Arc<Inner<'f, A, R>>) -> Self {
        let shared = inner.clone();
        Jit { call: Func::new(&inner.info.function, move |a| shared.call(a)), inner }
    }

    /// Runs on this device, whatever is chosen around a call. Nothing that was staged before is kept.
    ///
    /// ```
    /// use wengert::{jit, Array, Device};
    /// let f = jit(|x: Array| x * 2.0).device(&Device::cpu());
    /// assert_eq!(f(Array::from(3.0f32)).item::<f32>(), 6.0);
    /// ```
    pub fn device(self, device: &Device) -> Self {
        self.with_options(|o| o.device = Some(device.clone()))
    }

    /// Lets results take the memory of an argument, counted from 0: on a device, an array that is passed there is gone
    /// after the call, and using it again is an error. For what is replaced by the result, such as the state of a loop.
    /// On the host it changes nothing. Nothing that was staged before is kept.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// let step = jit(|state: Array, x: Array| state * 0.9 + x).donate(0);
    /// let mut state = Array::from([0.0f32, 0.0]);
    /// for _ in 0..3 {
    ///     state = step(state, Array::from([1.0f32, 2.0]));
    /// }
    /// assert!((state.to_vec::<f32>()[0] - 2.71).abs() < 1e-6);
    /// ```
    pub fn donate(self, argument: usize) -> Self {
        self.with_options(|o| o.donated.push(argument))
    }

    /// Lets the function decide natively by what it reads of arrays (`if x > 1.0`, `while`, `match x.to_i64()`): the path
    /// that a call takes is staged, with its decisions as guards, and a call that decides otherwise gets a path of its own.
    /// Paths share their beginnings; what lies between two reads is one program, compiled once, also where a native loop
    /// comes by again. [`Jit::paths`] prints them, [`Jit::explain`] says why there is a new one, and [`Jit::cache_capacity`]
    /// bounds them. Nothing that was staged before is kept.
    ///
    /// The function must be pure: what it does may depend on its arguments and on numbers that it reads, and on nothing
    /// else. Reading an array as a vector is an error, since nothing can guard it; texts show arrays without their values, and
    /// recordings that begin inside keep none, as in any staged function. An argument that is donated keeps its memory.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// let divide = jit(|x: Array, y: Array| if y >= 1.0 { x / y } else { x * 0.0 }).with_guards();
    /// let call = |x: f32, y: f32| divide(Array::from(x), Array::from(y)).item::<f32>();
    /// assert_eq!((call(3.0, 2.0), call(3.0, 4.0), call(3.0, 0.5)), (1.5, 0.75, 0.0));
    /// assert_eq!((divide.misses(), divide.hits()), (2, 1));
    /// ```
    pub fn with_guards(self) -> Self {
        self.with_options(|o| o.guards = true)
    }

    /// The paths kept of a function that was staged [`with_guards`](Jit::with_guards), as text, for each type of its
    /// arguments: the parts as programs, and where the host read what. Empty for other functions.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// let f = jit(|x: Array| if x > 1.0 { x.sin() } else { x }).with_guards();
    /// f(Array::from(2.0f32));
    /// f(Array::from(0.5f32));
    /// assert!(f.paths()[0].contains("2 paths:\n  part 1, read as a bool at "));
    /// ```
    pub fn paths(&self) -> Vec<String> {
        let cache = self.inner.cache.read().unwrap_or_else(PoisonError::into_inner);
        let text = |e: &Arc<CacheEntry<A, R>>| match &e.kept {
            Kept::Paths(paths) => Some(paths.text()),
            Kept::Program(..) => None,
        };
        cache.iter().filter_map(text).collect()
    }

    /// The same function with other options, and an empty cache.
    fn with_options(self, change: impl FnOnce(&mut JitOptions)) -> Self {
        let Inner { f, info, capacity, options, .. } = &*self.inner;
        let mut options = options.clone();
        change(&mut options);
        Jit::from_inner(Arc::new(Inner::new(f.clone(), info.clone(), capacity.load(Ordering::Relaxed), options)))
    }

    /// Keeps at most this many programs, and of a function with guards as many paths for each; the least recently used goes
    /// first.
    ///
    /// ```
    /// use wengert::{jit, Array, DType};
    /// let f = jit(|x: Array| x.sin()).cache_capacity(2);
    /// (0..5).for_each(|n| drop(f(Array::zeros([n], DType::F32))));
    /// assert_eq!(f.programs().len(), 2);
    /// ```
    pub fn cache_capacity(self, programs: usize) -> Self {
        self.inner.capacity.store(programs.max(1), Ordering::Relaxed);
        self
    }

    /// How many calls found their program.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// let f = jit(|x: Array| x.sin() * 1.0);
    /// f(f(Array::from(1.0f32)));
    /// assert_eq!(f.hits(), 1);
    /// ```
    pub fn hits(&self) -> u64 {
        self.inner.hits.load(Ordering::Relaxed)
    }

    /// How many calls had to trace.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// let f = jit(|x: Array| x.sin() * 1.0);
    /// f(Array::from(1.0f32));
    /// f(Array::from([1.0f32, 2.0]));
    /// assert_eq!(f.misses(), 2);
    /// ```
    pub fn misses(&self) -> u64 {
        self.inner.misses.load(Ordering::Relaxed)
    }

    /// The programs kept, as they were traced.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// let f = jit(|x: Array| x.sin() * 1.0);
    /// f(Array::from(1.0f32));
    /// assert_eq!(f.programs()[0].equation_count(), 3);
    /// ```
    pub fn programs(&self) -> Vec<Arc<Program>> {
        let cache = self.inner.cache.read().unwrap_or_else(PoisonError::into_inner);
        cache.iter().flat_map(|e| e.each(|p| p.traced.clone())).collect()
    }

    /// The programs kept, as they run: simplified.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// let f = jit(|x: Array| x.sin() * 1.0);
    /// f(Array::from(1.0f32));
    /// assert_eq!(f.simplified()[0].equation_count(), 1);
    /// ```
    pub fn simplified(&self) -> Vec<Arc<Program>> {
        let cache = self.inner.cache.read().unwrap_or_else(PoisonError::into_inner);
        cache.iter().flat_map(|e| e.each(|p| p.program.clone())).collect()
    }

    /// What the programs kept became after one of the [`stages`](crate::stages) of compiling, as text for people to read:
    /// one for each that was compiled for a device with that stage. An error that lists the stages, if there is none of
    /// this name. `WENGERT_PRINT_AFTER=fuse,memory` in the environment prints stages of every program that is compiled.
    ///
    /// ```
    /// use wengert::{jit, Array, DType};
    /// let f = jit(|x: Array| (x.sin() * 2.0).sum(..));
    /// f(Array::ones([1000], DType::F32));
    /// let fused = f.after("fuse")?;
    /// assert!(fused[0].contains("loop over 1000 elements"), "{}", fused[0]);
    /// assert!(f.after("fusion").is_err());
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn after(&self, stage: &str) -> Result<Vec<String>> {
        device::check_stage(stage)?;
        Ok(self.compiled(|program, e| device::after_stage(stage, program, e)))
    }

    /// The memory that a call takes, for each program that was compiled for a device that knows it beforehand.
    ///
    /// ```
    /// use wengert::{jit, Array, DType};
    /// let f = jit(|x: Array| x.sin() * 2.0);
    /// f(Array::ones([1000], DType::F32));
    /// assert_eq!((f.memory()[0].inputs, f.memory()[0].results, f.memory()[0].temporaries), (4000, 4000, 0));
    /// ```
    pub fn memory(&self) -> Vec<MemoryUse> {
        self.compiled(|_, e| e.memory())
    }

    /// Where the time of calls went so far, by block, for each program that was compiled to count it
    /// ([`Device::cpu_profiled`]).
    ///
    /// ```
    /// use wengert::{jit, Array, Device, DType};
    /// let f = jit(|x: Array| x.sort(0).sum(..)).device(&Device::cpu_profiled());
    /// f(Array::ones([1000], DType::F32));
    /// let profile = &f.profiles()[0];
    /// assert!(profile.runs == 1 && profile.blocks.iter().any(|b| b.name == "kernel of `sort`"));
    /// println!("{profile}");
    /// ```
    pub fn profiles(&self) -> Vec<Profile> {
        self.compiled(|_, e| e.profile())
    }

    /// What a function gives for each program that was compiled.
    fn compiled<T>(&self, of: impl Fn(&Program, &dyn Executable) -> Option<T>) -> Vec<T> {
        let cache = self.inner.cache.read().unwrap_or_else(PoisonError::into_inner);
        cache.iter().flat_map(|e| e.each(|p| p.compiled(&of))).flatten().collect()
    }

    /// Forgets all programs.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// let f = jit(|x: Array| x.sin() * 1.0);
    /// f(Array::from(1.0f32));
    /// f.clear_cache();
    /// assert!(f.programs().is_empty());
    /// ```
    pub fn clear_cache(&self) {
        self.inner.cache.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// For each miss, which part of the key was new. With `WENGERT_EXPLAIN=1` in the environment, each is also printed
    /// as it happens.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// let f = jit(|x: Array| x.sin() * 1.0);
    /// f(Array::from(1.0f32));
    /// f(Array::from([1.0f32, 2.0]));
    /// assert!(f.explain().ends_with("`arg0` is f32[2], and was f32[]"));
    /// ```
    pub fn explain(&self) -> String {
        self.inner.log.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
    }
}

impl<'f, A: Args + 'f, R: Tree + 'f> Clone for Jit<'f, A, R> {
    /// The clone shares the cache.
    fn clone(&self) -> Self {
        Jit::from_inner(self.inner.clone())
    }
}

callable!(Jit<R: Tree> => R);
