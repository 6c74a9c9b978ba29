//! Gathers whose rows are read where they lie: by loops, by scatters, and through all that moves elements.

use crate::agree::check_text;
use wengert_cpu::{Cpu, Native};

const ROWS: &str = "indexing=[window_dims=[1], collapsed_dims=[0], operand_batching_dims=[],
    indices_batching_dims=[], index_map=[0], index_vector_dim=1], slice_sizes=[1,24], out_of_bounds=clip,
    indices_are_sorted=false, unique_indices=false";
const WINDOWS: &str = "indexing=[window_dims=[2, 3], collapsed_dims=[], operand_batching_dims=[],
    indices_batching_dims=[], index_map=[0, 1], index_vector_dim=2], slice_sizes=[2,24], out_of_bounds=clip,
    indices_are_sorted=false, unique_indices=false";
const BACK: &str = "indexing=[window_dims=[1], collapsed_dims=[0], operand_batching_dims=[],
    indices_batching_dims=[], index_map=[0], index_vector_dim=1]";

#[test]
fn by_loops() {
    for (dtype, index) in [("f32", "i32"), ("f64", "i64"), ("f32", "u8"), ("bf16", "i32"), ("i32", "i8")] {
        check_text(&format!(
            "program (x: {dtype}[9,24], i: {index}[80,1], j: {index}[80,1], w: {dtype}[24], k: {index}[4,20,2]) {{
              a: {dtype}[80,24] = gather[{ROWS}](x, i)
              b: {dtype}[80,24] = gather[{ROWS}](x, j)
              c: {dtype}[80,24] = sub(a, b)
              v: {dtype}[80,24] = broadcast[shape=[80,24], dims=[1]](w)
              d: {dtype}[80,24] = mul(c, v)
              s: {dtype}[80] = reduce[combiner=add, dims=[1]](d)
              t: {dtype}[24] = reduce[combiner=add, dims=[0]](d)
              m: {dtype}[80] = reduce[combiner=max, dims=[1]](a)
              g: {dtype}[4,20,2,24] = gather[{WINDOWS}](x, k)
              h: {dtype}[4,20,2,24] = neg(g)
              return d, s, t, m, h
            }}"
        ));
    }
}

#[test]
fn moved() {
    check_text(&format!(
        "program (x: f32[9,24], i: i32[80,1], y: f32[24,80], z: f32[80,12], u: f32[40,48], p: f32[12,10]) {{
          a: f32[80,24] = gather[{ROWS}](x, i)
          t: f32[24,80] = transpose[perm=[1,0]](a)
          b: f32[24,80] = add(t, y)
          h: f32[80,12] = slice[start=[0,1], limit=[80,24], strides=[1,2]](a)
          c: f32[80,12] = mul(h, z)
          r: f32[80,24] = reverse[dims=[1]](a)
          d: f32[80,24] = exp(r)
          q: f32[80,24] = reverse[dims=[0]](a)
          e: f32[80,24] = exp(q)
          o: f32[40,48] = reshape[shape=[40,48]](a)
          f: f32[40,48] = mul(o, u)
          k: f32[192,10] = reshape[shape=[192,10]](a)
          l: f32[12,10] = slice[start=[5,0], limit=[17,10], strides=[1,1]](k)
          g: f32[12,10] = mul(l, p)
          n: f32[2,1] = slice[start=[3,4], limit=[5,5], strides=[1,1]](a)
          m: f32[2,1] = exp(n)
          w: f32[3,80,24] = broadcast[shape=[3,80,24], dims=[1,2]](a)
          v: f32[3,80,24] = exp(w)
          return b, c, d, e, f, g, m, v
        }}"
    ));
}

#[test]
fn by_scatters_and_products() {
    let any = "indices_are_sorted=false, unique_indices=false";
    check_text(&format!(
        "program (x: f32[9,24], i: i32[80,1], j: i32[80,1], w: f32[24,5]) {{
          a: f32[80,24] = gather[{ROWS}](x, i)
          o: f32[9,24] = broadcast[shape=[9,24], dims=[]](0.0:f32[])
          b: f32[9,24] = scatter[{BACK}, update=add, {any}](o, j, a)
          c: f32[9,24] = scatter[{BACK}, update=set, {any}](x, j, a)
          e: f32[9,24] = exp(x)
          f: f32[80,24] = gather[{ROWS}](e, j)
          g: f32[9,24] = scatter[{BACK}, update=max, {any}](e, i, f)
          p: f32[80,5] = dot_general[contract=([1], [0]), batch=([], [])](f, w)
          h: f32[80,24] = gather[{ROWS}](e, i)
          k: f32[9,24] = scatter[{BACK}, update=add, {any}](e, i, h)
          return b, c, g, p, k, h
        }}"
    ));
}

/// The rows of a table take part in a loop, and in a scatter, without being written.
#[test]
fn no_memory_for_rows() {
    use wengert_core::run::Device;
    let text = format!(
        "program (x: f32[100,64], i: i32[5000,1], j: i32[5000,1]) {{
          a: f32[5000,64] = gather[{}](x, i)
          e: f32[5000,64] = exp(a)
          s: f32[5000] = reduce[combiner=add, dims=[1]](e)
          o: f32[100,64] = broadcast[shape=[100,64], dims=[]](0.0:f32[])
          b: f32[100,64] = scatter[{BACK}, update=add, indices_are_sorted=false, unique_indices=false](o, j, a)
          return s, b
        }}",
        ROWS.replace("24", "64")
    );
    let program = std::sync::Arc::new(wengert_core::Program::parse(&text).unwrap());
    let compiled = Cpu::with(Native::Best).compile(program, &[]).unwrap();
    let temporaries = compiled.memory().unwrap().temporaries;
    assert!(temporaries < 5000 * 64 * 4 / 2, "{temporaries}");
}
