//! Loop nests over large arrays: windows, slices at computed places, sums along axes that lie apart and of halves.

use crate::agree::check_text;

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

#[test]
fn what_only_moves_elements_is_read_where_it_lies() {
    for dtype in ["f32", "f64", "i8", "bool", "u32"] {
        let combine = if dtype == "bool" { "xor" } else { "add" };
        check_text(&format!(
            "program (x: {dtype}[6,5,130], y: {dtype}[130,6,5]) {{
              t: {dtype}[130,6,5] = transpose[perm=[2,0,1]](x)
              a: {dtype}[130,6,5] = {combine}(t, y)
              r: {dtype}[130,6,5] = reverse[dims=[0,2]](a)
              b: {dtype}[130,6,5] = {combine}(r, t)
              s: {dtype}[64,3,5] = slice[start=[1,1,0], limit=[129,6,5], strides=[2,2,1]](b)
              z: {dtype}[192,5] = reshape[shape=[192,5]](s)
              w: {dtype}[5,192] = transpose[perm=[1,0]](z)
              q: {dtype}[960] = reshape[shape=[960]](w)
              v: {dtype}[960] = {combine}(q, q)
              c: {dtype}[5,192] = reshape[shape=[5,192]](v)
              d: {dtype}[5,192] = {combine}(c, w)
              e: {dtype}[2,5,192] = broadcast[shape=[2,5,192], dims=[1,2]](d)
              f: {dtype}[192,2,5] = transpose[perm=[2,0,1]](e)
              g: {dtype}[192,2,5] = {combine}(f, f)
              h: {dtype}[3,1,1] = slice[start=[7,0,0], limit=[10,1,1], strides=[1,1,1]](g)
              return b, d, g, h, t, q
            }}"
        ));
    }
}

#[test]
fn numbers_of_positions_are_read_from_nowhere() {
    for dtype in ["f32", "f64", "i8", "i64", "u16"] {
        check_text(&format!(
            "program (x: {dtype}[20,30]) {{
              i: {dtype}[20,30] = iota[ty={dtype}[20,30], dim=0]()
              j: {dtype}[20,30] = iota[ty={dtype}[20,30], dim=1]()
              k: {dtype}[30,20] = transpose[perm=[1,0]](i)
              r: {dtype}[30,20] = reverse[dims=[1]](k)
              l: {dtype}[20,30] = reshape[shape=[20,30]](r)
              a: {dtype}[20,30] = mul(x, i)
              b: {dtype}[20,30] = add(a, j)
              c: {dtype}[20,30] = add(b, l)
              s: {dtype}[4,5] = slice[start=[3,2], limit=[19,17], strides=[4,3]](j)
              return c, l, s
            }}"
        ));
    }
}

#[test]
fn sums_along_all_axes_in_the_evaluators_order() {
    for n in [2, 17, 100, 256, 300, 4096, 9000] {
        for combiner in if n < 300 { &["add", "max", "mul"][..] } else { &["add"] } {
            check_text(&format!(
                "program (x: f32[{n}], y: f32[3,{n}], z: f32[{n},3], w: f32[2,{n},20]) {{
                  e: f32[3,{n}] = tanh(y)
                  a: f32[] = reduce[combiner={combiner}, dims=[0]](x)
                  b: f32[3] = reduce[combiner={combiner}, dims=[1]](e)
                  c: f32[3] = reduce[combiner={combiner}, dims=[0]](z)
                  d: f32[2,20] = reduce[combiner={combiner}, dims=[1]](w)
                  t: f32[3,{n}] = transpose[perm=[1,0]](z)
                  f: f32[3] = reduce[combiner={combiner}, dims=[1]](t)
                  g: f32[] = reduce[combiner={combiner}, dims=[0,1]](e)
                  h: f32[20] = reduce[combiner={combiner}, dims=[0,1]](w)
                  k: f32[2,{n},20] = tanh(w)
                  l: f32[2,20] = reduce[combiner={combiner}, dims=[1]](k)
                  r: f32[20] = slice[start=[0], limit=[20], strides=[1]](h)
                  rb: f32[2,{n},20] = broadcast[shape=[2,{n},20], dims=[2]](r)
                  o: f32[2,{n},20] = add(k, rb)
                  p: f32[2,20] = reduce[combiner={combiner}, dims=[1]](o)
                  return a, b, c, d, f, g, h, e, l, p, o
                }}"
            ));
        }
    }
    for (dtype, combiner) in
        [("i8", "add"), ("u32", "max"), ("bool", "or"), ("f64", "min"), ("bf16", "add"), ("c64", "add")]
    {
        check_text(&format!(
            "program (x: {dtype}[30,300]) {{
              a: {dtype}[30] = reduce[combiner={combiner}, dims=[1]](x)
              b: {dtype}[300] = reduce[combiner={combiner}, dims=[0]](x)
              c: {dtype}[] = reduce[combiner={combiner}, dims=[1,0]](x)
              return a, b, c
            }}"
        ));
    }
}

#[test]
fn rows_that_are_combined_and_used_again() {
    for (rows, n) in [(100, 40), (3, 300), (70, 17), (2, 5000), (65, 2), (1, 500)] {
        check_text(&format!(
            "program (x: f32[{rows},{n}], u: f32[{n}], v: f32[{rows}]) {{
              m: f32[{rows}] = reduce[combiner=max, dims=[1]](x)
              mb: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0]](m)
              d: f32[{rows},{n}] = sub(x, mb)
              e: f32[{rows},{n}] = exp(d)
              s: f32[{rows}] = reduce[combiner=add, dims=[1]](e)
              s1: f32[{rows},1] = reshape[shape=[{rows},1]](s)
              sb: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0,1]](s1)
              p: f32[{rows},{n}] = div(e, sb)
              a: f32[{rows}] = reduce[combiner=add, dims=[1]](p)
              a2: f32[{rows}] = mul(a, v)
              ab: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0]](a2)
              c: f32[{rows},{n}] = sub(p, ab)
              q: f32[{rows},{n}] = mul(c, c)
              w: f32[{rows}] = reduce[combiner=add, dims=[1]](q)
              w2: f32[{rows}] = rsqrt(w)
              wb: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0]](w2)
              ub: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[1]](u)
              o: f32[{rows},{n}] = mul(c, wb)
              o2: f32[{rows},{n}] = add(o, ub)
              all: f32[] = reduce[combiner=add, dims=[0]](w2)
              t: f32[{n},{rows}] = transpose[perm=[1,0]](o2)
              t2: f32[{n},{rows}] = add(t, t)
              return o2, w2, all, t2, m
            }}"
        ));
    }
}

#[test]
fn values_of_rows_that_are_combined_again() {
    for (rows, n) in [(17, 4), (8, 100), (2, 65), (17, 1030), (3, 5000)] {
        for f in ["max", "add"] {
            check_text(&format!(
                "program (x: f32[{rows},{n}], w: f32[{rows}], v: f32[{n},30]) {{
                  m: f32[{rows}] = reduce[combiner={f}, dims=[1]](x)
                  r: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0]](m)
                  a: f32[{rows}] = reduce[combiner=add, dims=[1]](r)
                  u: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0]](w)
                  b: f32[{rows}] = reduce[combiner=min, dims=[1]](u)
                  s: f32[{rows},{n}] = add(r, u)
                  c: f32[{rows}] = reduce[combiner=add, dims=[1]](s)
                  t: f32[{rows}] = sin(m)
                  tr: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0]](t)
                  d: f32[{rows}] = reduce[combiner=mul, dims=[1]](tr)
                  e: f32[{n}] = reduce[combiner=add, dims=[0]](tr)
                  p: f32[{rows},30] = dot_general[contract=([1], [0]), batch=([], [])](tr, v)
                  k: f32[{rows},{n}] = cumulative[kind=sum, dim=1, reverse=false](r)
                  return a, b, c, d, e, p, k, m
                }}"
            ));
        }
    }
}

#[test]
fn rows_that_are_combined_where_they_are_computed() {
    for n in [255, 256, 257, 512, 900, 1024, 1100, 2047, 4096, 4097, 4200, 9000] {
        for (dtype, log) in [("f32", "log"), ("f64", "sqrt"), ("bf16", "tanh"), ("i32", "neg")] {
            check_text(&format!(
                "program (x: {dtype}[3,{n}], i: i32[{n}], t: {dtype}[40]) {{
                  p: {dtype}[3,{n}] = iota[ty={dtype}[3,{n}], dim=1]()
                  m: {dtype}[3] = reduce[combiner=max, dims=[1]](x)
                  mr: {dtype}[3,{n}] = broadcast[shape=[3,{n}], dims=[0]](m)
                  d: {dtype}[3,{n}] = sub(x, mr)
                  e: {dtype}[3,{n}] = {log}(d)
                  s: {dtype}[3] = reduce[combiner=add, dims=[1]](e)
                  l: {dtype}[3] = reduce[combiner=min, dims=[1]](d)
                  w: {dtype}[3,{n}] = mul(d, p)
                  ws: {dtype}[3] = reduce[combiner=add, dims=[1]](w)
                  xs: {dtype}[3] = reduce[combiner=add, dims=[1]](x)
                  sr: {dtype}[3,{n}] = broadcast[shape=[3,{n}], dims=[0]](s)
                  g: {dtype}[{n}] = gather[indexing=[window_dims=[], collapsed_dims=[0], operand_batching_dims=[],
                    indices_batching_dims=[], index_map=[0], index_vector_dim=1], slice_sizes=[1], out_of_bounds=clip,
                    indices_are_sorted=false, unique_indices=false](t, i)
                  gr: {dtype}[3,{n}] = broadcast[shape=[3,{n}], dims=[1]](g)
                  h: {dtype}[3,{n}] = add(sr, gr)
                  hs: {dtype}[3] = reduce[combiner=max, dims=[1]](h)
                  y: {dtype}[3,{n}] = sub(e, sr)
                  return s, l, ws, xs, hs, y
                }}"
            ));
        }
    }
}

#[test]
fn what_is_read_where_it_lies_is_not_overwritten_before() {
    check_text(
        "program (x: f32[10,30], i: i32[], n: f32[20,10]) {
          y: f32[10,30] = add(x, x)
          t: f32[30,10] = transpose[perm=[1,0]](y)
          s: f32[10,20] = slice[start=[0,5], limit=[10,25], strides=[1,1]](y)
          u: f32[10,20] = transpose[perm=[1,0]](n)
          z: i32[] = constant[value=dense[0]:i32[]]()
          w: f32[10,30] = dynamic_update_slice(y, u, z, i)
          a: f32[30,10] = transpose[perm=[1,0]](w)
          b: f32[30,10] = sub(a, t)
          c: f32[10,20] = add(s, u)
          return b, c, w
        }",
    );
    check_text(
        "program (x: f32[9,9], y: f32[9,9], k: f32[4]) {
          a: f32[9,9], b: f32[9,9], c: f32[4,9,9] = scan[length=4, consts=0, carries=2, reverse=false, body=program (p: f32[9,9], q: f32[9,9], r: f32[]) {
            t: f32[9,9] = transpose[perm=[1,0]](q)
            u: f32[9,9] = reverse[dims=[0]](p)
            v: f32[9,9] = add(p, q)
            return t, u, v
          }](x, y, k)
          return a, b, c
        }",
    );
}

#[test]
fn parts_are_written_where_they_belong() {
    for dtype in ["f32", "f64", "i8", "bool"] {
        check_text(&format!(
            "program (x: {dtype}[6,40], y: {dtype}[6,3], z: {dtype}[40,6], c: {dtype}[]) {{
              n: {dtype}[6,40] = max(x, x)
              t: {dtype}[6,40] = transpose[perm=[1,0]](z)
              s: {dtype}[6,40] = broadcast[shape=[6,40], dims=[]](c)
              m: {dtype}[6] = reduce[combiner=max, dims=[1]](n)
              m2: {dtype}[6,1] = reshape[shape=[6,1]](m)
              a: {dtype}[6,124] = concatenate[dim=1](n, y, t, s, m2)
              b: {dtype}[18,40] = concatenate[dim=0](n, n, t)
              p: {dtype}[9,82] = pad[low=[1,2], high=[2,1], interior=[0,1]](n, c)
              q: {dtype}[6,40] = max(n, t)
              return a, b, p, q
            }}"
        ));
    }
}
