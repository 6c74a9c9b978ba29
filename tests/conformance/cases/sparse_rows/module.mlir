module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>, %arg1: tensor<5x2xf32>) -> (tensor<4x2xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %1 = stablehlo.compare NE, %arg0, %0, FLOAT : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %2 = call @cumsum(%1) : (tensor<4x5xi1>) -> tensor<20xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @clip(%2, %c_0) : (tensor<20xi32>, tensor<i32>) -> tensor<20xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %6 = stablehlo.compare LT, %4, %5, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %c_2 = stablehlo.constant dense<12> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %8 = stablehlo.add %4, %7 : tensor<20xi32>
    %9 = stablehlo.select %6, %8, %4 : tensor<20xi1>, tensor<20xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<20xi32>) -> tensor<20x1xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %12 = "stablehlo.scatter"(%3, %10, %11) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %85 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %85 : tensor<i32>
    }) : (tensor<12xi32>, tensor<20x1xi32>, tensor<20xi32>) -> tensor<12xi32>
    %13 = call @cumsum_1(%12) : (tensor<12xi32>) -> tensor<12xi32>
    %c_4 = stablehlo.constant dense<5> : tensor<i32>
    %14 = call @floor_divide(%13, %c_4) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    %c_5 = stablehlo.constant dense<4> : tensor<i32>
    %15 = call @remainder(%14, %c_5) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %16 = call @floor_divide(%13, %c_6) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    %c_7 = stablehlo.constant dense<5> : tensor<i32>
    %17 = call @remainder(%16, %c_7) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    %18 = stablehlo.iota dim = 0 : tensor<12xi32>
    %19 = stablehlo.convert %1 : (tensor<4x5xi1>) -> tensor<4x5xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.reduce(%19 init: %c_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xi32>, tensor<i32>) -> tensor<i32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %22 = stablehlo.compare GE, %18, %21, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_9 = stablehlo.constant dense<4> : tensor<i32>
    %23 = call @_where_4(%22, %c_9, %15) : (tensor<12xi1>, tensor<i32>, tensor<12xi32>) -> tensor<12xi32>
    %c_10 = stablehlo.constant dense<5> : tensor<i32>
    %24 = call @_where_4(%22, %c_10, %17) : (tensor<12xi1>, tensor<i32>, tensor<12xi32>) -> tensor<12xi32>
    %25 = stablehlo.broadcast_in_dim %23, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %26 = stablehlo.broadcast_in_dim %24, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %27 = stablehlo.concatenate %25, %26, dim = 0 : (tensor<1x12xi32>, tensor<1x12xi32>) -> tensor<2x12xi32>
    %28 = stablehlo.transpose %27, dims = [1, 0] : (tensor<2x12xi32>) -> tensor<12x2xi32>
    %29 = stablehlo.slice %28 [0:12, 0:1] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %30 = stablehlo.reshape %29 : (tensor<12x1xi32>) -> tensor<12xi32>
    %31 = stablehlo.slice %28 [0:12, 1:2] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %32 = stablehlo.reshape %31 : (tensor<12x1xi32>) -> tensor<12xi32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %34 = stablehlo.compare LT, %30, %33, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_12 = stablehlo.constant dense<4> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %36 = stablehlo.add %30, %35 : tensor<12xi32>
    %37 = stablehlo.select %34, %36, %30 : tensor<12xi1>, tensor<12xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %38 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %39 = stablehlo.compare LT, %32, %38, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_14 = stablehlo.constant dense<5> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %41 = stablehlo.add %32, %40 : tensor<12xi32>
    %42 = stablehlo.select %39, %41, %32 : tensor<12xi1>, tensor<12xi32>
    %43 = stablehlo.broadcast_in_dim %37, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %44 = stablehlo.broadcast_in_dim %42, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %45 = stablehlo.concatenate %43, %44, dim = 1 : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x2xi32>
    %c_15 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<12x2xi32>
    %47 = stablehlo.compare GE, %45, %46, SIGNED : (tensor<12x2xi32>, tensor<12x2xi32>) -> tensor<12x2xi1>
    %48 = stablehlo.broadcast_in_dim %c_15, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<12x2xi32>
    %50 = stablehlo.compare LE, %45, %49, SIGNED : (tensor<12x2xi32>, tensor<12x2xi32>) -> tensor<12x2xi1>
    %51 = stablehlo.and %47, %50 : tensor<12x2xi1>
    %c_17 = stablehlo.constant dense<true> : tensor<i1>
    %52 = stablehlo.reduce(%51 init: %c_17) applies stablehlo.and across dimensions = [1] : (tensor<12x2xi1>, tensor<i1>) -> tensor<12xi1>
    %53 = "stablehlo.gather"(%arg0, %45) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x5xf32>, tensor<12x2xi32>) -> tensor<12xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %55 = stablehlo.select %52, %53, %54 : tensor<12xi1>, tensor<12xf32>
    %56 = stablehlo.convert %1 : (tensor<4x5xi1>) -> tensor<4x5xi32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %57 = stablehlo.reduce(%56 init: %c_19) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xi32>, tensor<i32>) -> tensor<i32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %59 = stablehlo.iota dim = 0 : tensor<12xi32>
    %60 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<1xi32>) -> tensor<12xi32>
    %61 = stablehlo.compare LT, %59, %60, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %62 = call @_where_5(%61, %55, %c_20) : (tensor<12xi1>, tensor<12xf32>, tensor<i32>) -> tensor<12xf32>
    %63 = stablehlo.slice %28 [0:12, 1:2] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %64 = stablehlo.reshape %63 : (tensor<12x1xi32>) -> tensor<12xi32>
    %65 = stablehlo.slice %28 [0:12, 0:1] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %66 = stablehlo.reshape %65 : (tensor<12x1xi32>) -> tensor<12xi32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %67 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %68 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %69 = call @clip_6(%66, %c_23) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %70 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %71 = stablehlo.compare LT, %69, %70, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_25 = stablehlo.constant dense<4> : tensor<i32>
    %72 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %73 = stablehlo.add %69, %72 : tensor<12xi32>
    %74 = stablehlo.select %71, %73, %69 : tensor<12xi1>, tensor<12xi32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %c_26 = stablehlo.constant dense<1> : tensor<i32>
    %76 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %77 = "stablehlo.scatter"(%68, %75, %76) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %85 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %85 : tensor<i32>
    }) : (tensor<4xi32>, tensor<12x1xi32>, tensor<12xi32>) -> tensor<4xi32>
    %78 = call @cumsum_7(%77) : (tensor<4xi32>) -> tensor<4xi32>
    %c_27 = stablehlo.constant dense<1> : tensor<i32>
    %79 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %80 = "stablehlo.scatter"(%67, %79, %78) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      stablehlo.return %arg3 : tensor<i32>
    }) : (tensor<5xi32>, tensor<1xi32>, tensor<4xi32>) -> tensor<5xi32>
    %81 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%62, %80, %64, %arg1) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<12xf32>, tensor<5xi32>, tensor<12xi32>, tensor<5x2xf32>) -> tensor<4x2xf32>
    %82 = stablehlo.slice %arg1 [0:5, 0:1] : (tensor<5x2xf32>) -> tensor<5x1xf32>
    %83 = stablehlo.reshape %82 : (tensor<5x1xf32>) -> tensor<5xf32>
    %84 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%62, %80, %64, %83) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<12xf32>, tensor<5xi32>, tensor<12xi32>, tensor<5xf32>) -> tensor<4xf32>
    return %81, %84 : tensor<4x2xf32>, tensor<4xf32>
  }
  func.func private @cumsum(%arg0: tensor<4x5xi1>) -> tensor<20xi32> {
    %0 = stablehlo.reshape %arg0 : (tensor<4x5xi1>) -> tensor<20xi1>
    %1 = stablehlo.convert %0 : (tensor<20xi1>) -> tensor<20xi32>
    %2 = call @cumsum_0(%1) : (tensor<20xi32>) -> tensor<20xi32>
    return %2 : tensor<20xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<20xi32>) -> tensor<20xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[19, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 20>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<20xi32>, tensor<i32>) -> tensor<20xi32>
    return %1 : tensor<20xi32>
  }
  func.func private @clip(%arg0: tensor<20xi32>, %arg1: tensor<i32>) -> tensor<20xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<20xi32>
    return %2 : tensor<20xi32>
  }
  func.func private @cumsum_1(%arg0: tensor<12xi32>) -> tensor<12xi32> {
    %0 = call @cumsum_2(%arg0) : (tensor<12xi32>) -> tensor<12xi32>
    return %0 : tensor<12xi32>
  }
  func.func private @cumsum_2(%arg0: tensor<12xi32>) -> tensor<12xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[11, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 12>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    return %1 : tensor<12xi32>
  }
  func.func private @floor_divide(%arg0: tensor<12xi32>, %arg1: tensor<i32>) -> tensor<12xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %1 = stablehlo.divide %arg0, %0 : tensor<12xi32>
    %2 = stablehlo.sign %arg0 : tensor<12xi32>
    %3 = stablehlo.sign %arg1 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %5 = stablehlo.compare NE, %2, %4, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %7 = stablehlo.remainder %arg0, %6 : tensor<12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %9 = stablehlo.compare NE, %7, %8, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %10 = stablehlo.and %5, %9 : tensor<12xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %12 = stablehlo.subtract %1, %11 : tensor<12xi32>
    %13 = call @_where(%10, %12, %1) : (tensor<12xi1>, tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
    return %13 : tensor<12xi32>
  }
  func.func private @_where(%arg0: tensor<12xi1>, %arg1: tensor<12xi32>, %arg2: tensor<12xi32>) -> tensor<12xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<12xi1>, tensor<12xi32>
    return %0 : tensor<12xi32>
  }
  func.func private @remainder(%arg0: tensor<12xi32>, %arg1: tensor<i32>) -> tensor<12xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_3(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<12xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<12xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
    %12 = stablehlo.and %11, %6 : tensor<12xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %14 = stablehlo.add %4, %13 : tensor<12xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<12xi1>, tensor<12xi32>
    return %15 : tensor<12xi32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_where_4(%arg0: tensor<12xi1>, %arg1: tensor<i32>, %arg2: tensor<12xi32>) -> tensor<12xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<12xi1>, tensor<12xi32>
    return %2 : tensor<12xi32>
  }
  func.func private @_where_5(%arg0: tensor<12xi1>, %arg1: tensor<12xf32>, %arg2: tensor<i32>) -> tensor<12xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<12xi1>, tensor<12xf32>
    return %2 : tensor<12xf32>
  }
  func.func private @clip_6(%arg0: tensor<12xi32>, %arg1: tensor<i32>) -> tensor<12xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<12xi32>
    return %2 : tensor<12xi32>
  }
  func.func private @cumsum_7(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %0 = call @cumsum_8(%arg0) : (tensor<4xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @cumsum_8(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 4>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    return %1 : tensor<4xi32>
  }
}
