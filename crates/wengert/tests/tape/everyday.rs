//! Numbers of the host in everyday Rust (C10): threads, iterators, patterns, labels, `?`, generics, swaps and collections between a read
//! and an array. An update or a program gives what a run gives, or says that it can't.

// Functions as users write them.
#![allow(clippy::all)]

use super::borrows::Found;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock, mpsc};
use wengert::{Array, track, tracked};

#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Point<T> {
    x: T,
    y: T,
}

impl<T: Copy + std::ops::Add<Output = T> + std::ops::Mul<Output = T>> Point<T> {
    #[track]
    fn dot(&self, other: &Point<T>) -> T {
        self.x * other.x + self.y * other.y
    }
    #[track]
    fn moved(mut self, by: T) -> Self {
        self.x = self.x + by;
        self
    }
    #[track]
    fn move_by(&mut self, by: T) -> &mut Self {
        self.y = self.y + by;
        self
    }
}

impl std::ops::Index<usize> for Point<f64> {
    type Output = f64;
    fn index(&self, i: usize) -> &f64 {
        if i == 0 { &self.x } else { &self.y }
    }
}

impl std::ops::AddAssign<f64> for Point<f64> {
    fn add_assign(&mut self, by: f64) {
        self.x += by;
        self.y -= by;
    }
}

#[derive(Clone, Debug)]
enum Shape {
    Disc { radius: f64 },
    Box(f64, f64),
    Nothing,
}

#[track]
fn area(s: &Shape) -> f64 {
    match s {
        Shape::Disc { radius } if *radius > 1.5 => 3.0 * radius * radius,
        Shape::Disc { radius: r } => r * 2.0,
        Shape::Box(a, b) => a * b,
        Shape::Nothing => 0.0,
    }
}

#[track]
fn checked(v: f64) -> Option<f64> {
    let w = positive(v)?;
    Some(w.sqrt() + 1.0)
}

#[track]
fn positive(v: f64) -> Option<f64> {
    if v > 0.0 { Some(v) } else { None }
}

#[track]
fn parsed(text: &str) -> Result<f64, std::num::ParseFloatError> {
    let v: f64 = text.parse()?;
    Ok(v * 2.0)
}

#[track]
fn powers<const N: usize>(v: f64) -> [f64; N] {
    let mut all = [1.0; N];
    for i in 1..N {
        all[i] = all[i - 1] * v;
    }
    all
}

#[track]
fn horner(c: &[f64], v: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * v + c)
}

#[track]
fn twice<F: Fn(f64) -> f64>(f: F, v: f64) -> f64 {
    f(f(v))
}

#[track]
fn collatz(mut n: u64) -> u64 {
    let mut steps = 0;
    while n > 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[track]
fn swapped(a: &mut f64, b: &mut f64) {
    std::mem::swap(a, b);
}

trait Scale {
    const FACTOR: f64;
    fn scale(&self, v: f64) -> f64 {
        v * Self::FACTOR
    }
}
struct Double;
impl Scale for Double {
    const FACTOR: f64 = 2.0;
}

#[track]
fn scaled<S: Scale>(s: &S, v: f64) -> f64 {
    s.scale(v) + S::FACTOR
}

struct Countdown(f64);
impl Iterator for Countdown {
    type Item = f64;
    #[track]
    fn next(&mut self) -> Option<f64> {
        if self.0 <= 0.0 {
            return None;
        }
        self.0 -= 1.0;
        Some(self.0)
    }
}

struct Adds<'a>(&'a Cell<f64>, f64);
impl Drop for Adds<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + self.1);
    }
}

static LAST: Mutex<f64> = Mutex::new(0.0);
thread_local! {
    static LOCAL: Cell<f64> = const { Cell::new(0.0) };
}

functions! {
    by_a_thread(x, v) { let w = std::thread::spawn(move || v * 2.0).join().unwrap(); &x * w }
    by_a_scoped_thread(x, v) { let mut s = 0.0; std::thread::scope(|t| { t.spawn(|| s = v + 1.0); }); &x * s }
    by_a_channel(x, v) { let (send, receive) = mpsc::channel(); send.send(v * 3.0).unwrap(); let w: f64 = receive.recv().unwrap(); &x * w }
    by_a_mutex(x, v) { let m = Arc::new(Mutex::new(v)); *m.lock().unwrap() += 1.0; let w = *m.lock().unwrap(); &x * w }
    by_a_lock(x, v) { let m = RwLock::new(1.0); { *m.write().unwrap() = v; } let w = *m.read().unwrap(); &x * w }
    by_an_atomic(x, v) { let a = AtomicU64::new(0); a.store(v.to_bits(), Ordering::SeqCst); let w = f64::from_bits(a.load(Ordering::SeqCst)); &x * w }
    by_a_static(x, v) { *LAST.lock().unwrap() = v; let w = *LAST.lock().unwrap() + 1.0; &x * w }
    by_a_thread_local(x, v) { LOCAL.set(v); let w = LOCAL.get() * 2.0; &x * w }
    by_a_once(x, v) { let o = OnceLock::new(); let w = *o.get_or_init(|| v + 2.0); &x * w }
    by_a_cell(x, v) { let c = Cell::new(1.0); c.set(c.get() + v); let w = c.replace(0.0); &x * w + c.get() }
    by_a_shared_cell(x, v) { let c = Rc::new(RefCell::new(vec![1.0])); let d = c.clone(); d.borrow_mut().push(v); let w: f64 = c.borrow().iter().sum(); &x * w }
    by_a_drop(x, v) { let c = Cell::new(1.0); { let _a = Adds(&c, v); } let w = c.get(); &x * w }
    by_a_temporary_drop(x, v) { let c = Cell::new(1.0); let k = Adds(&c, v).1; let w = c.get() * k; &x * w }
    by_a_swap(x, v) { let (mut a, mut b) = (v, 2.0); std::mem::swap(&mut a, &mut b); &x * a - b }
    by_a_tracked_swap(x, v) { let mut a = v; let mut b = 2.0; swapped(&mut a, &mut b); &x * a - b }
    by_a_replacement(x, v) { let mut a = v; let b = std::mem::replace(&mut a, 7.0); &x * b - a }
    by_taking(x, v) { let mut a = v; let b = std::mem::take(&mut a); &x * b - a }
    by_taking_an_option(x, v) { let mut a = Some(v); let b = a.take().unwrap_or(1.0); let c = a.unwrap_or(5.0); &x * b - c }
    by_replacing_an_option(x, v) { let mut a = Some(1.0); let b = a.replace(v); let w = a.unwrap() * b.unwrap(); &x * w }
    by_inserting_into_an_option(x, v) { let mut a = None; *a.get_or_insert(v) += 1.0; let w = a.unwrap(); &x * w }
    by_maps_of_options(x, v) { let w = Some(v).map(|v| v + 1.0).filter(|v| *v > 1.0).or(Some(9.0)).and_then(|v| if v > 2.0 { Some(v) } else { None }).map_or(4.0, |v| v * 2.0); &x * w }
    by_a_question_mark(x, v) { let w = checked(v).unwrap_or(-3.0); &x * w }
    by_a_parsed_text(x, v) { let w = parsed(&format!("{v}")).unwrap(); &x * w }
    by_a_result(x, v) { let r: Result<f64, f64> = if v > 1.5 { Ok(v) } else { Err(-v) }; let w = match r { Ok(a) => a + 1.0, Err(e) => e - 1.0 }; &x * w }
    by_let_else(x, v) { let Some(w) = positive(v) else { return &x * -5.0; }; &x * w }
    by_let_else_of_a_list(x, v) { let all = vec![v, 2.0]; let [first, ..] = all[..] else { return x; }; &x * first }
    by_if_let_and(x, v) { let a = Some(v); if let Some(b) = a && b > 1.5 { &x * b } else { &x * 0.5 } }
    by_a_guard(x, v) { let w = match v { a if a > 2.5 => a * 2.0, a if a < 0.0 => -a, a => a + 10.0 }; &x * w }
    by_a_range_pattern(x, v) { let n = v as i64; let w = match n { i64::MIN..=-1 => -1.0, 0 => 0.5, m @ 1..=2 => m as f64, _ => v }; &x * w }
    by_a_binding_pattern(x, v) { let w = match (v, v > 1.0) { (a @ 0.0..=1.0, _) => a, (a, true) => a * 2.0, (_, false) => 3.0 }; &x * w }
    by_a_variant(x, v) { let s = Shape::Disc { radius: v }; let w = area(&s); &x * w }
    by_a_chosen_variant(x, v) { let s = if v > 1.5 { Shape::Box(v, 2.0) } else if v > 0.0 { Shape::Disc { radius: v } } else { Shape::Nothing }; let w = area(&s); &x * w }
    by_a_changed_variant(x, v) { let mut s = Shape::Box(v, 2.0); if let Shape::Box(a, b) = &mut s { *a += 1.0; std::mem::swap(a, b); } let w = area(&s); &x * w }
    by_shadows(x, v) { let v = v + 1.0; let v = { let v = v * 2.0; v - 1.0 }; let w = if let v @ 0.0.. = v { v } else { 2.0 }; &x * w * v }
    by_a_label(x, v) { let mut s = 0.0; 'all: for i in 0..4 { for j in 0..4 { s += v; if i * j == 2 { break 'all; } if j > i { continue 'all; } } } &x * s }
    by_a_labelled_block(x, v) { let w = 'a: { if v > 2.5 { break 'a v; } if v < 0.0 { break 'a 1.0; } v * 3.0 }; &x * w }
    by_a_loop_that_gives(x, v) { let mut s = v; let w = loop { s = s * 1.5 + 0.5; if s > 9.0 || s < -9.0 { break s; } }; &x * w }
    by_a_while_let(x, v) { let mut stack = vec![v, v + 1.0]; let mut s = 0.0; while let Some(t) = stack.pop() { s += t; if t > 1.0 { stack.push(t - 1.0); } } &x * s }
    by_an_early_return(x, v) { if v > 2.5 { return &x * v; } let w = v * v; if w < 0.5 { return x; } &x * w }
    by_a_method_of_a_type(x, v) { let p = Point { x: v, y: 2.0 }; let w = p.dot(&Point { x: 1.0, y: v }); &x * w }
    by_a_method_that_moves(x, v) { let p = Point { x: v, y: 2.0 }.moved(v); let w = p.x * p.y; &x * w }
    by_methods_in_a_chain(x, v) { let mut p = Point { x: 1.0, y: v }; p.move_by(v).move_by(1.0); let w = p.y; &x * w }
    by_an_index_of_its_own(x, v) { let p = Point { x: v, y: 2.0 }; let w = p[0] * p[1]; &x * w }
    by_an_operator_of_its_own(x, v) { let mut p = Point { x: v, y: 2.0 }; p += v; let w = p.x * p.y; &x * w }
    by_a_struct_update(x, v) { let p = Point { x: v, ..Default::default() }; let q = Point { y: 3.0, ..p }; let w = q.x + q.y; &x * w }
    by_a_const_generic(x, v) { let all = powers::<4>(v); let w = all[3] + all[2]; &x * w }
    by_a_slice(x, v) { let w = horner(&[1.0, v, 2.0], v); &x * w }
    by_a_generic_closure(x, v) { let w = twice(|k| k * v + 1.0, 2.0); &x * w }
    by_a_boxed_closure(x, v) { let f: Box<dyn Fn(f64) -> f64> = if v > 1.5 { Box::new(move |k| k + v) } else { Box::new(|k| k * 2.0) }; let w = f(3.0); &x * w }
    by_a_closure_that_changes(x, v) { let mut s = 1.0; let mut add = |k: f64| { s += k; s }; add(v); let w = add(v); &x * w * s }
    by_a_closure_that_is_given(x, v) { let mut s = 1.0; [1.0, 2.0].iter().for_each(|k| s += k * v); &x * s }
    by_a_tracked_closure_in_a_map(x, v) { let f = tracked!(|k: f64| k * v); let w: f64 = [1.0, 2.0].map(f).iter().sum(); &x * w }
    by_a_function_pointer(x, v) { let f: fn(f64) -> f64 = if v > 1.5 { f64::sqrt } else { f64::abs }; let w = f(v * v + 1.0); &x * w }
    by_a_whole_number(x, v) { let n = (v * v * 3.0) as u64 + 1; let w = collatz(n); &x * w as f64 }
    by_sums(x, v) { let w: f64 = (0..4).map(|i| i as f64 * v).sum(); &x * w }
    by_products(x, v) { let w = (1..4).map(|i| v + i as f64).product::<f64>(); &x * w }
    by_a_fold(x, v) { let w = [1.0, 2.0, 3.0].iter().fold(v, |s, k| s * 0.5 + k); &x * w }
    by_a_filter(x, v) { let w = [0.5, 1.5, 2.5].iter().filter(|k| **k > v).count(); &x * w as f64 }
    by_a_position(x, v) { let w = [0.5, 1.5, 2.5].iter().position(|k| *k > v).map_or(9, |i| i + 1); &x * w as f64 }
    by_a_zip(x, v) { let a = vec![v, 1.0]; let b = [2.0, v]; let w: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum(); &x * w }
    by_a_scan(x, v) { let w = (0..3).scan(v, |s, _| { *s += 1.0; Some(*s) }).last().unwrap(); &x * w }
    by_windows(x, v) { let a = [v, 2.0, v * 3.0]; let w: f64 = a.windows(2).map(|p| p[1] - p[0]).fold(0.0, f64::max); &x * w }
    by_chunks(x, v) { let a = vec![v, 1.0, 2.0, v]; let mut s = 0.0; for c in a.chunks(3) { s = s * 2.0 + c[0]; } &x * s }
    by_an_iterator_of_its_own(x, v) { let mut s = 0.0; for k in Countdown(v) { s += k; } &x * s }
    by_an_iterator_by_hand(x, v) { let mut i = Countdown(v); let a = i.next().unwrap_or(4.0); let b = i.next().unwrap_or(5.0); &x * a - b }
    by_a_comparison_of_numbers(x, v) { let w = [v, 1.0, 2.0].into_iter().max_by(|a, b| a.total_cmp(b)).unwrap(); &x * w }
    by_a_sort(x, v) { let mut a = [2.0, v, 1.0]; a.sort_by(|a, b| a.partial_cmp(b).unwrap()); let w = a[0] - a[2]; &x * w }
    by_a_sorted_list(x, v) { let mut a = vec![2.0, v, 1.0]; a.sort_by(f64::total_cmp); a.dedup(); a.reverse(); a.truncate(2); let w = a[0] * 2.0 + a[a.len() - 1]; &x * w }
    by_a_list(x, v) { let mut a = Vec::with_capacity(2); a.push(v); a.extend([1.0, v * 2.0]); a.insert(1, 4.0); let w = a.swap_remove(0) + a[1]; &x * w }
    by_a_drained_list(x, v) { let mut a = vec![v, 1.0, 2.0]; let d: Vec<f64> = a.drain(..2).collect(); let w = d[0] + a[0]; &x * w }
    by_a_split_list(x, v) { let mut a = [v, 1.0, 2.0]; let (l, r) = a.split_at_mut(1); std::mem::swap(&mut l[0], &mut r[1]); let w = a[0] - a[2]; &x * w }
    by_swapped_elements(x, v) { let mut a = [v, 1.0, 2.0]; a.swap(0, 2); let w = a[0] - a[2]; &x * w }
    by_a_rotated_list(x, v) { let mut a = [v, 1.0, 2.0]; a.rotate_left(1); a[0] *= v; let w = a[2] + a[0]; &x * w }
    by_a_filled_list(x, v) { let mut a = [0.0; 3]; a.fill(v); a[1..].iter_mut().for_each(|k| *k += 1.0); let w = a[0] * a[2]; &x * w }
    by_a_list_of_lists(x, v) { let mut a = vec![vec![0.0; 2]; 2]; a[1][0] = v; a[0][1] = a[1][0] + 1.0; let w = a.concat().iter().sum::<f64>(); &x * w }
    by_a_slice_pattern(x, v) { let a = [v, 1.0, 2.0]; let w = match &a[..] { [first, .., last] if first > last => first * 2.0, [_, rest @ ..] => rest[0] + a[0], [] => 0.0 }; &x * w }
    by_elements_that_change(x, v) { let mut a = [1.0, 2.0]; for k in &mut a { *k *= v; } for k in a.iter_mut() { *k += 1.0; } let w = a[0] - a[1]; &x * w }
    by_the_last_element(x, v) { let mut a = vec![1.0]; a.push(v); if let Some(l) = a.last_mut() { *l += 1.0; } let w = *a.last().unwrap() + a.first().copied().unwrap(); &x * w }
    by_a_map(x, v) { let mut m = HashMap::new(); m.insert("a", v); *m.entry("a").or_insert(0.0) += 1.0; *m.entry("b").or_insert(v) *= 2.0; let w = m["a"] + m["b"]; &x * w }
    by_a_sorted_map(x, v) { let mut m = BTreeMap::new(); for i in 0..3 { m.insert(i, v * i as f64); } if let Some(k) = m.get_mut(&1) { *k = v; } let w: f64 = m.values().sum(); &x * w }
    by_a_queue(x, v) { let mut q = VecDeque::from([1.0, v]); q.push_front(v * 2.0); q.rotate_left(1); let w = q.pop_back().unwrap() - q[0]; &x * w }
    by_a_heap(x, v) { let mut h = BinaryHeap::from([3, v as i64]); h.push(v as i64 + 1); let w = h.pop().unwrap(); &x * w as f64 }
    by_a_text(x, v) { let mut t = String::new(); for _ in 0..(v as usize) { t.push('a'); } let w = t.len(); &x * w as f64 }
    by_a_text_that_is_read(x, v) { let t = format!("{v:.1};2"); let w: f64 = t.split(';').map(|p| p.parse::<f64>().unwrap()).sum(); &x * w }
    by_a_char(x, v) { let c = char::from_digit((v.abs() as u32) % 10, 10).unwrap(); let w = c as u32; &x * w as f64 }
    by_bytes(x, v) { let b = v.to_le_bytes(); let w = f64::from_le_bytes(b) + 1.0; &x * w }
    by_a_reference(x, v) { let r = &v; let w = *r + 1.0; &x * w }
    by_a_reference_to_a_reference(x, v) { let r = &&v; let w = **r * 2.0; &x * w }
    by_a_chosen_reference(x, v) { let (mut a, mut b) = (1.0, 2.0); { let r = if v > 1.5 { &mut a } else { &mut b }; *r += v; } let w = a - b; &x * w }
    by_a_reference_in_a_list(x, v) { let mut a = v; let mut b = 2.0; { let mut all = [&mut a, &mut b]; *all[0] += 1.0; *all[1] *= v; all.swap(0, 1); *all[0] -= 1.0; } let w = a * b; &x * w }
    by_a_box(x, v) { let mut b = Box::new(v); *b += 1.0; let c = b.clone(); *b *= 2.0; let w = *c + *b; &x * w }
    by_a_cow(x, v) { use std::borrow::Cow; let a = [v, 1.0]; let mut c = Cow::Borrowed(&a[..]); c.to_mut()[1] = v; let w = c.iter().sum::<f64>() + a[1]; &x * w }
    by_a_default_method(x, v) { let w = Double.scale(v) + scaled(&Double, v); &x * w }
    by_a_dynamic_trait(x, v) { let d: &dyn Fn(f64) -> f64 = &|k| k - v; let w = d(4.0); &x * w }
    by_checked_arithmetic(x, v) { let n = (v * 60.0) as i8; let w = n.checked_add(20).map_or(-1, i64::from) + i64::from(n.overflowing_add(100).1) + i64::from(n.saturating_add(100)); &x * w as f64 }
    by_conversions(x, v) { let n = v as i32; let m = i64::from(n); let w = f64::from(n) + u8::try_from(m).map_or(0.5, f64::from); &x * w }
    by_an_ordering(x, v) { let w = match v.partial_cmp(&1.5) { Some(std::cmp::Ordering::Less) => 1.0, Some(_) => v, None => 0.0 }; &x * w }
    by_a_minimum(x, v) { let w = std::cmp::min(v as i64, 2) + std::cmp::max(v as i64, 1); &x * w as f64 }
    by_a_compound_condition(x, v) { let b = v > 0.5 && (v < 2.5 || v == 3.0) && !(v == 1.0); let w = if b { v } else { -v - 1.0 }; &x * w }
    by_an_assigned_tuple(x, v) { let (mut a, mut b, mut n) = (0.0, 1.0, 0); while n < 5 { (a, b) = (b, a + b * v); n += 1; } &x * a - b }
    by_an_assigned_struct(x, v) { let mut p = Point::default(); (p.x, p.y) = (v, p.x + 1.0); Point { x: _, y: p.x } = (Point { x: 1.0, y: p.x * 2.0 }); let w = p.x + p.y; &x * w }
    by_a_later_declaration(x, v) { let w; if v > 1.5 { w = v; } else { w = v * 2.0 + 1.0; } &x * w }
    by_a_block_in_an_argument(x, v) { let mut s = v; let w = f64::max({ s += 1.0; s }, { s *= 2.0; s - 4.0 }); &x * w * s }
    by_a_constant_function(x, v) { const fn half(n: i64) -> i64 { n / 2 } let w = half(v as i64 * 3); &x * w as f64 }
    by_an_inner_function(x, v) { #[track] fn f(v: f64) -> f64 { if v > 1.0 { f(v - 1.0) + 1.0 } else { v } } let w = f(v); &x * w }
    by_a_second_read(x, v) { let y = &x * v; let u = y.to_f64(); let z = &y + u; let w = z.to_f64() * 0.5; &x * w + z }
    by_arrays_in_a_list(x, v) { let mut all = vec![x.clone()]; for _ in 0..3 { let l = all.last().unwrap() * v; all.push(l); } let n = (v as usize).min(3); all.swap_remove(n) }
    by_an_array_in_an_option(x, v) { let y = (v > 1.5).then(|| &x * 2.0); match y { Some(y) => y * v, None => x + v } }
    by_an_index_into_arrays(x, v) { let all = [x.clone(), &x * 2.0, &x + 1.0]; let i = (v.abs() as usize) % 3; all[i].clone() * v }
    by_panics_that_are_caught(x, v) { let w = std::panic::catch_unwind(|| if v > 2.5 { std::panic::resume_unwind(Box::new(1.0f64)) } else { v }).unwrap_or_else(|p| *p.downcast::<f64>().unwrap()); &x * w }
}

#[test]
fn c10_everyday_rust_gives_no_old_value() {
    Found::of(ALL);
}
