module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>, %arg1: tensor<5xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4x5xf32> {jax.result_info = "result[1]"}, tensor<4xf32> {jax.result_info = "result[2]"}, tensor<5x4xf32> {jax.result_info = "result[3]"}, tensor<12xf32> {jax.result_info = "result[4]"}) {
    %c = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<false> : tensor<1xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %1 = stablehlo.compare NE, %arg0, %0, FLOAT : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %2 = call @cumsum(%1) : (tensor<4x5xi1>) -> tensor<20xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @clip(%2, %c_3) : (tensor<20xi32>, tensor<i32>) -> tensor<20xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %6 = stablehlo.compare LT, %4, %5, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
    %c_5 = stablehlo.constant dense<12> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %8 = stablehlo.add %4, %7 : tensor<20xi32>
    %9 = stablehlo.select %6, %8, %4 : tensor<20xi1>, tensor<20xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<20xi32>) -> tensor<20x1xi32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<20xi32>
    %12 = "stablehlo.scatter"(%3, %10, %11) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %184 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %184 : tensor<i32>
    }) : (tensor<12xi32>, tensor<20x1xi32>, tensor<20xi32>) -> tensor<12xi32>
    %13 = call @cumsum_1(%12) : (tensor<12xi32>) -> tensor<12xi32>
    %c_7 = stablehlo.constant dense<5> : tensor<i32>
    %14 = call @floor_divide(%13, %c_7) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    %c_8 = stablehlo.constant dense<4> : tensor<i32>
    %15 = call @remainder(%14, %c_8) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    %c_9 = stablehlo.constant dense<1> : tensor<i32>
    %16 = call @floor_divide(%13, %c_9) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    %c_10 = stablehlo.constant dense<5> : tensor<i32>
    %17 = call @remainder(%16, %c_10) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    %18 = stablehlo.iota dim = 0 : tensor<12xi32>
    %19 = stablehlo.convert %1 : (tensor<4x5xi1>) -> tensor<4x5xi32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.reduce(%19 init: %c_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xi32>, tensor<i32>) -> tensor<i32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %22 = stablehlo.compare GE, %18, %21, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_12 = stablehlo.constant dense<4> : tensor<i32>
    %23 = call @_where_4(%22, %c_12, %15) : (tensor<12xi1>, tensor<i32>, tensor<12xi32>) -> tensor<12xi32>
    %c_13 = stablehlo.constant dense<5> : tensor<i32>
    %24 = call @_where_4(%22, %c_13, %17) : (tensor<12xi1>, tensor<i32>, tensor<12xi32>) -> tensor<12xi32>
    %25 = stablehlo.broadcast_in_dim %23, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %26 = stablehlo.broadcast_in_dim %24, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %27 = stablehlo.concatenate %25, %26, dim = 0 : (tensor<1x12xi32>, tensor<1x12xi32>) -> tensor<2x12xi32>
    %28 = stablehlo.transpose %27, dims = [1, 0] : (tensor<2x12xi32>) -> tensor<12x2xi32>
    %29 = stablehlo.slice %28 [0:12, 0:1] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %30 = stablehlo.reshape %29 : (tensor<12x1xi32>) -> tensor<12xi32>
    %31 = stablehlo.slice %28 [0:12, 1:2] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %32 = stablehlo.reshape %31 : (tensor<12x1xi32>) -> tensor<12xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %34 = stablehlo.compare LT, %30, %33, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_15 = stablehlo.constant dense<4> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %36 = stablehlo.add %30, %35 : tensor<12xi32>
    %37 = stablehlo.select %34, %36, %30 : tensor<12xi1>, tensor<12xi32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %38 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %39 = stablehlo.compare LT, %32, %38, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_17 = stablehlo.constant dense<5> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %41 = stablehlo.add %32, %40 : tensor<12xi32>
    %42 = stablehlo.select %39, %41, %32 : tensor<12xi1>, tensor<12xi32>
    %43 = stablehlo.broadcast_in_dim %37, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %44 = stablehlo.broadcast_in_dim %42, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %45 = stablehlo.concatenate %43, %44, dim = 1 : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x2xi32>
    %c_18 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<12x2xi32>
    %47 = stablehlo.compare GE, %45, %46, SIGNED : (tensor<12x2xi32>, tensor<12x2xi32>) -> tensor<12x2xi1>
    %48 = stablehlo.broadcast_in_dim %c_18, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<12x2xi32>
    %50 = stablehlo.compare LE, %45, %49, SIGNED : (tensor<12x2xi32>, tensor<12x2xi32>) -> tensor<12x2xi1>
    %51 = stablehlo.and %47, %50 : tensor<12x2xi1>
    %c_20 = stablehlo.constant dense<true> : tensor<i1>
    %52 = stablehlo.reduce(%51 init: %c_20) applies stablehlo.and across dimensions = [1] : (tensor<12x2xi1>, tensor<i1>) -> tensor<12xi1>
    %53 = "stablehlo.gather"(%arg0, %45) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x5xf32>, tensor<12x2xi32>) -> tensor<12xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %55 = stablehlo.select %52, %53, %54 : tensor<12xi1>, tensor<12xf32>
    %56 = stablehlo.convert %1 : (tensor<4x5xi1>) -> tensor<4x5xi32>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %57 = stablehlo.reduce(%56 init: %c_22) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xi32>, tensor<i32>) -> tensor<i32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %59 = stablehlo.iota dim = 0 : tensor<12xi32>
    %60 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<1xi32>) -> tensor<12xi32>
    %61 = stablehlo.compare LT, %59, %60, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %62 = call @_where_5(%61, %55, %c_23) : (tensor<12xi1>, tensor<12xf32>, tensor<i32>) -> tensor<12xf32>
    %c_24 = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %c_25 = stablehlo.constant dense<0> : tensor<i32>
    %63 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %64 = stablehlo.compare LT, %c_24, %63, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_26 = stablehlo.constant dense<2> : tensor<i32>
    %65 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %66 = stablehlo.add %c_24, %65 : tensor<2xi32>
    %67 = stablehlo.select %64, %66, %c_24 : tensor<2xi1>, tensor<2xi32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %69 = "stablehlo.gather"(%28, %68) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 12, 1>}> : (tensor<12x2xi32>, tensor<2x1xi32>) -> tensor<12x2xi32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %71 = stablehlo.slice %69 [0:12, 0:1] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %72 = stablehlo.reshape %71 : (tensor<12x1xi32>) -> tensor<12xi32>
    %73 = stablehlo.slice %69 [0:12, 1:2] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %74 = stablehlo.reshape %73 : (tensor<12x1xi32>) -> tensor<12xi32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %75 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %76 = stablehlo.compare LT, %72, %75, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_29 = stablehlo.constant dense<5> : tensor<i32>
    %77 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %78 = stablehlo.add %72, %77 : tensor<12xi32>
    %79 = stablehlo.select %76, %78, %72 : tensor<12xi1>, tensor<12xi32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %c_30 = stablehlo.constant dense<4> : tensor<1xi32>
    %c_31 = stablehlo.constant dense<0> : tensor<i32>
    %81 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<i32>) -> tensor<12x1xi32>
    %82 = stablehlo.compare GE, %80, %81, SIGNED : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x1xi1>
    %83 = stablehlo.broadcast_in_dim %c_30, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<12x1xi32>
    %85 = stablehlo.compare LE, %80, %84, SIGNED : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x1xi1>
    %86 = stablehlo.and %82, %85 : tensor<12x1xi1>
    %c_32 = stablehlo.constant dense<true> : tensor<i1>
    %87 = stablehlo.reduce(%86 init: %c_32) applies stablehlo.and across dimensions = [1] : (tensor<12x1xi1>, tensor<i1>) -> tensor<12xi1>
    %88 = "stablehlo.gather"(%arg1, %80) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<5xf32>, tensor<12x1xi32>) -> tensor<12xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %90 = stablehlo.select %87, %88, %89 : tensor<12xi1>, tensor<12xf32>
    %91 = stablehlo.dot_general %62, %90, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %c_34 = stablehlo.constant dense<0> : tensor<i32>
    %92 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %93 = stablehlo.compare LT, %74, %92, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_35 = stablehlo.constant dense<4> : tensor<i32>
    %94 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %95 = stablehlo.add %74, %94 : tensor<12xi32>
    %96 = stablehlo.select %93, %95, %74 : tensor<12xi1>, tensor<12xi32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %98 = "stablehlo.scatter"(%70, %97, %91) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %184 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %184 : tensor<f32>
    }) : (tensor<4xf32>, tensor<12x1xi32>, tensor<12xf32>) -> tensor<4xf32>
    %99 = stablehlo.concatenate %28, %28, dim = 0 : (tensor<12x2xi32>, tensor<12x2xi32>) -> tensor<24x2xi32>
    %100 = stablehlo.concatenate %62, %62, dim = 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
    %101 = stablehlo.slice %99 [0:24, 0:1] : (tensor<24x2xi32>) -> tensor<24x1xi32>
    %102 = stablehlo.reshape %101 : (tensor<24x1xi32>) -> tensor<24xi32>
    %103 = stablehlo.slice %99 [0:24, 1:2] : (tensor<24x2xi32>) -> tensor<24x1xi32>
    %104 = stablehlo.reshape %103 : (tensor<24x1xi32>) -> tensor<24xi32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %c_37 = stablehlo.constant dense<0> : tensor<i32>
    %106 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %107 = stablehlo.compare LT, %102, %106, SIGNED : (tensor<24xi32>, tensor<24xi32>) -> tensor<24xi1>
    %c_38 = stablehlo.constant dense<4> : tensor<i32>
    %108 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %109 = stablehlo.add %102, %108 : tensor<24xi32>
    %110 = stablehlo.select %107, %109, %102 : tensor<24xi1>, tensor<24xi32>
    %c_39 = stablehlo.constant dense<0> : tensor<i32>
    %111 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %112 = stablehlo.compare LT, %104, %111, SIGNED : (tensor<24xi32>, tensor<24xi32>) -> tensor<24xi1>
    %c_40 = stablehlo.constant dense<5> : tensor<i32>
    %113 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %114 = stablehlo.add %104, %113 : tensor<24xi32>
    %115 = stablehlo.select %112, %114, %104 : tensor<24xi1>, tensor<24xi32>
    %116 = stablehlo.broadcast_in_dim %110, dims = [0] : (tensor<24xi32>) -> tensor<24x1xi32>
    %117 = stablehlo.broadcast_in_dim %115, dims = [0] : (tensor<24xi32>) -> tensor<24x1xi32>
    %118 = stablehlo.concatenate %116, %117, dim = 1 : (tensor<24x1xi32>, tensor<24x1xi32>) -> tensor<24x2xi32>
    %119 = "stablehlo.scatter"(%105, %118, %100) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %184 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %184 : tensor<f32>
    }) : (tensor<4x5xf32>, tensor<24x2xi32>, tensor<24xf32>) -> tensor<4x5xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.reduce(%62 init: %cst_41) applies stablehlo.add across dimensions = [] : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
    %121 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
    %122 = stablehlo.broadcast_in_dim %121, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<12x2xi32>
    %123 = stablehlo.compare LT, %28, %122, SIGNED : (tensor<12x2xi32>, tensor<12x2xi32>) -> tensor<12x2xi1>
    %c_42 = stablehlo.constant dense<true> : tensor<i1>
    %124 = stablehlo.reduce(%123 init: %c_42) applies stablehlo.and across dimensions = [1] : (tensor<12x2xi1>, tensor<i1>) -> tensor<12xi1>
    %c_43 = stablehlo.constant dense<0> : tensor<i32>
    %125 = call @_where_6(%124, %120, %c_43) : (tensor<12xi1>, tensor<12xf32>, tensor<i32>) -> tensor<12xf32>
    %c_44 = stablehlo.constant dense<2> : tensor<i32>
    %126 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %127 = stablehlo.add %c_0, %126 : tensor<1xi32>
    %128 = stablehlo.select %c_1, %127, %c_0 : tensor<1xi1>, tensor<1xi32>
    %129 = stablehlo.broadcast_in_dim %128, dims = [0] : (tensor<1xi32>) -> tensor<1x1xi32>
    %130 = "stablehlo.gather"(%28, %129) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 12, 1>}> : (tensor<12x2xi32>, tensor<1x1xi32>) -> tensor<12x1xi32>
    %131 = stablehlo.reshape %130 : (tensor<12x1xi32>) -> tensor<12xi32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c_46 = stablehlo.constant dense<0> : tensor<i32>
    %133 = stablehlo.broadcast_in_dim %c_46, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %134 = stablehlo.compare LT, %131, %133, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_47 = stablehlo.constant dense<4> : tensor<i32>
    %135 = stablehlo.broadcast_in_dim %c_47, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %136 = stablehlo.add %131, %135 : tensor<12xi32>
    %137 = stablehlo.select %134, %136, %131 : tensor<12xi1>, tensor<12xi32>
    %138 = stablehlo.broadcast_in_dim %137, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %139 = "stablehlo.scatter"(%132, %138, %125) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %184 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %184 : tensor<f32>
    }) : (tensor<4xf32>, tensor<12x1xi32>, tensor<12xf32>) -> tensor<4xf32>
    %c_48 = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %c_49 = stablehlo.constant dense<0> : tensor<i32>
    %140 = stablehlo.broadcast_in_dim %c_49, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %141 = stablehlo.compare LT, %c_48, %140, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_50 = stablehlo.constant dense<2> : tensor<i32>
    %142 = stablehlo.broadcast_in_dim %c_50, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %143 = stablehlo.add %c_48, %142 : tensor<2xi32>
    %144 = stablehlo.select %141, %143, %c_48 : tensor<2xi1>, tensor<2xi32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %146 = "stablehlo.gather"(%28, %145) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 12, 1>}> : (tensor<12x2xi32>, tensor<2x1xi32>) -> tensor<12x2xi32>
    %147 = stablehlo.slice %146 [0:12, 0:1] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %148 = stablehlo.reshape %147 : (tensor<12x1xi32>) -> tensor<12xi32>
    %149 = stablehlo.slice %146 [0:12, 1:2] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %150 = stablehlo.reshape %149 : (tensor<12x1xi32>) -> tensor<12xi32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
    %c_52 = stablehlo.constant dense<0> : tensor<i32>
    %152 = stablehlo.broadcast_in_dim %c_52, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %153 = stablehlo.compare LT, %148, %152, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_53 = stablehlo.constant dense<5> : tensor<i32>
    %154 = stablehlo.broadcast_in_dim %c_53, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %155 = stablehlo.add %148, %154 : tensor<12xi32>
    %156 = stablehlo.select %153, %155, %148 : tensor<12xi1>, tensor<12xi32>
    %c_54 = stablehlo.constant dense<0> : tensor<i32>
    %157 = stablehlo.broadcast_in_dim %c_54, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %158 = stablehlo.compare LT, %150, %157, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_55 = stablehlo.constant dense<4> : tensor<i32>
    %159 = stablehlo.broadcast_in_dim %c_55, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %160 = stablehlo.add %150, %159 : tensor<12xi32>
    %161 = stablehlo.select %158, %160, %150 : tensor<12xi1>, tensor<12xi32>
    %162 = stablehlo.broadcast_in_dim %156, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %163 = stablehlo.broadcast_in_dim %161, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %164 = stablehlo.concatenate %162, %163, dim = 1 : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x2xi32>
    %165 = "stablehlo.scatter"(%151, %164, %62) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %184 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %184 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<12x2xi32>, tensor<12xf32>) -> tensor<5x4xf32>
    %166 = stablehlo.slice %28 [0:12, 0:1] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %167 = stablehlo.reshape %166 : (tensor<12x1xi32>) -> tensor<12xi32>
    %168 = stablehlo.slice %28 [0:12, 1:2] : (tensor<12x2xi32>) -> tensor<12x1xi32>
    %169 = stablehlo.reshape %168 : (tensor<12x1xi32>) -> tensor<12xi32>
    %170 = stablehlo.iota dim = 0 : tensor<12xi32>
    %171:3 = "stablehlo.sort"(%167, %169, %170) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i32>):
      %184 = stablehlo.compare LT, %arg4, %arg5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %185 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %186 = stablehlo.compare EQ, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %187 = stablehlo.and %186, %184 : tensor<i1>
      %188 = stablehlo.or %185, %187 : tensor<i1>
      stablehlo.return %188 : tensor<i1>
    }) : (tensor<12xi32>, tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>, tensor<12xi32>)
    %172 = call @atleast_2d(%171#0) : (tensor<12xi32>) -> tensor<1x12xi32>
    %173 = stablehlo.transpose %172, dims = [1, 0] : (tensor<1x12xi32>) -> tensor<12x1xi32>
    %174 = call @atleast_2d(%171#1) : (tensor<12xi32>) -> tensor<1x12xi32>
    %175 = stablehlo.transpose %174, dims = [1, 0] : (tensor<1x12xi32>) -> tensor<12x1xi32>
    %176 = stablehlo.concatenate %173, %175, dim = 1 : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x2xi32>
    %c_56 = stablehlo.constant dense<0> : tensor<i32>
    %177 = stablehlo.broadcast_in_dim %c_56, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %178 = stablehlo.compare LT, %171#2, %177, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_57 = stablehlo.constant dense<12> : tensor<i32>
    %179 = stablehlo.broadcast_in_dim %c_57, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %180 = stablehlo.add %171#2, %179 : tensor<12xi32>
    %181 = stablehlo.select %178, %180, %171#2 : tensor<12xi1>, tensor<12xi32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %183 = "stablehlo.gather"(%62, %182) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<12xf32>, tensor<12x1xi32>) -> tensor<12xf32>
    return %98, %119, %139, %165, %183 : tensor<4xf32>, tensor<4x5xf32>, tensor<4xf32>, tensor<5x4xf32>, tensor<12xf32>
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
  func.func private @_where_6(%arg0: tensor<12xi1>, %arg1: tensor<12xf32>, %arg2: tensor<i32>) -> tensor<12xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<12xi1>, tensor<12xf32>
    return %2 : tensor<12xf32>
  }
  func.func private @atleast_2d(%arg0: tensor<12xi32>) -> tensor<1x12xi32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    return %0 : tensor<1x12xi32>
  }
}
