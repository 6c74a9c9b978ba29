//! Loop nests over large arrays: windows, slices at computed places, sums along axes that lie apart and of halves.

mod agree;

use agree::{ALL, check};
use std::sync::Arc;
use wengert_core::Program;
use wengert_testing::{Choices, random_values};

/// Checks a program on numbers that are no round ones.
fn check_text(text: &str) {
    let program = Arc::new(Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let numbers: Vec<u16> = (0..2000u32).map(|i| (i.wrapping_mul(40503) >> 3) as u16).collect();
    let x = random_values(&program.input_types(), &mut Choices::new(&numbers), false);
    check(&program, &x, &ALL).unwrap_or_else(|m| panic!("{m}"));
}

#[test]
fn sums_along_axes_that_lie_apart() {
    for dims in ["[0,2]", "[2,0]", "[3,1]", "[0,1,3]", "[1,3,0]"] {
        let sizes = ["4", "5", "6", "7"].into_iter().enumerate();
        let kept: Vec<&str> = sizes.filter(|(d, _)| !dims.contains(&d.to_string())).map(|d| d.1).collect();
        check_text(&format!(
            "program (x: f32[4,5,6,7]) {{
              e: f32[4,5,6,7] = tanh(x)
              y: f32[{kept}] = reduce[combiner=add, dims={dims}](e)
              return y, e
            }}",
            kept = kept.join(",")
        ));
    }
}

#[test]
fn halves_are_combined_as_wider_numbers() {
    for dtype in ["f16", "bf16"] {
        for n in [3, 40, 300, 5000] {
            check_text(&format!(
                "program (x: {dtype}[3,{n}], i: {dtype}[{n},20]) {{
                  e: {dtype}[3,{n}] = tanh(x)
                  a: {dtype}[3] = reduce[combiner=add, dims=[1]](e)
                  b: {dtype}[3] = reduce[combiner=max, dims=[1]](x)
                  c: {dtype}[20] = reduce[combiner=add, dims=[0]](i)
                  d: {dtype}[3,{n}] = broadcast[shape=[3,{n}], dims=[0]](a)
                  f: {dtype}[3,{n}] = div(e, d)
                  j: {dtype}[3,{n}] = iota[ty={dtype}[3,{n}], dim=1]()
                  g: {dtype}[3,{n}] = mul(f, j)
                  return a, b, c, g
                }}"
            ));
        }
    }
}

#[test]
fn windows_that_are_runs() {
    let indexing = |window: &str, collapsed: &str, map: &str| {
        format!(
            "indexing=[window_dims={window}, collapsed_dims={collapsed}, operand_batching_dims=[],
              indices_batching_dims=[], index_map={map}, index_vector_dim=1]"
        )
    };
    let rows = indexing("[1]", "[0]", "[0]");
    let elements = indexing("[]", "[0, 1]", "[0, 1]");
    let any = "indices_are_sorted=false, unique_indices=false";
    for dtype in ["f32", "i8", "f64"] {
        let three = if dtype.starts_with('f') { "3.0" } else { "3" };
        for index in ["i32", "u8", "i64"] {
            check_text(&format!(
                "program (x: {dtype}[7,20], i: {index}[90], j: {index}[90,2], u: {dtype}[90,20], v: {dtype}[90]) {{
                  a: {dtype}[90,20] = gather[{rows}, slice_sizes=[1,20], out_of_bounds=clip, {any}](x, i)
                  b: {dtype}[90,20] = gather[{rows}, slice_sizes=[1,20], out_of_bounds={three}:{dtype}[], {any}](x, i)
                  c: {dtype}[90] = gather[{elements}, slice_sizes=[1,1], out_of_bounds=clip, {any}](x, j)
                  d: {dtype}[90] = gather[{elements}, slice_sizes=[1,1], out_of_bounds={three}:{dtype}[], {any}](x, j)
                  e: {dtype}[7,20] = scatter[{rows}, update=add, {any}](x, i, u)
                  f: {dtype}[7,20] = scatter[{rows}, update=set, {any}](e, i, a)
                  g: {dtype}[7,20] = scatter[{elements}, update=max, {any}](e, j, v)
                  return a, b, c, d, e, f, g
                }}"
            ));
        }
    }
}

#[test]
fn slices_at_places_that_are_computed() {
    check_text(
        "program (x: f32[12,30], i: i32[], j: i32[], n: f32[6,20]) {
          y: f32[12,30] = add(x, x)
          s: f32[6,20] = dynamic_slice[sizes=[6,20]](y, i, j)
          t: f32[20,6] = transpose[perm=[1,0]](s)
          u: f32[20,6] = exp(t)
          w: f32[12,30] = dynamic_update_slice(y, n, j, i)
          v: f32[6,20] = sub(s, n)
          return u, v, w, s
        }",
    );
}

#[test]
fn parts_of_what_is_carried_are_carried_elsewhere() {
    check_text(
        "program (x: f32[200], y: f32[90]) {
          a: f32[200], b: f32[90] = scan[length=5, consts=0, carries=2, reverse=false, body=program (p: f32[200], q: f32[90]) {
            s: f32[90] = slice[start=[100], limit=[190], strides=[1]](p)
            t: f32[90] = exp(s)
            r: f32[20] = slice[start=[3], limit=[23], strides=[1]](q)
            u: f32[200] = concatenate[dim=0](q, q, r)
            return u, t
          }](x, y)
          return a, b
        }",
    );
}
