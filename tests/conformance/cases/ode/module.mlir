module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<4x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_linspace(%cst, %cst_0) : (tensor<f32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.slice %0 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    %3 = call @_odeint_wrapper(%arg0, %0) : (tensor<3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
  func.func private @_linspace(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<4xf32> {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %1 = stablehlo.convert %arg1 : tensor<f32>
    %2 = stablehlo.subtract %1, %0 : tensor<f32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %3 = stablehlo.divide %2, %cst : tensor<f32>
    %4 = stablehlo.iota dim = 0 : tensor<3xf32>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.divide %4, %5 : tensor<3xf32>
    %7 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %9 = stablehlo.subtract %8, %6 : tensor<3xf32>
    %10 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1xf32>) -> tensor<3xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<3xf32>
    %12 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<1xf32>) -> tensor<3xf32>
    %14 = stablehlo.multiply %13, %6 : tensor<3xf32>
    %15 = stablehlo.add %11, %14 : tensor<3xf32>
    %16 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %17 = stablehlo.concatenate %15, %16, dim = 0 : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
    return %17 : tensor<4xf32>
  }
  func.func private @_odeint_wrapper(%arg0: tensor<3xf32>, %arg1: tensor<4xf32>) -> tensor<4x3xf32> {
    %cst = stablehlo.constant dense<[2.000000e-01, 3.000000e-01, 8.000000e-01, 0.888888895, 1.000000e+00, 1.000000e+00, 0.000000e+00]> : tensor<7xf32>
    %cst_0 = stablehlo.constant dense<[[2.000000e-01, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [7.500000e-02, 2.250000e-01, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [0.977777779, -3.73333335, 3.55555558, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [2.95259857, -11.5957937, 9.82289314, -0.290809333, 0.000000e+00, 0.000000e+00, 0.000000e+00], [2.84627533, -10.757576, 8.90642261, 0.278409094, -0.273531318, 0.000000e+00, 0.000000e+00], [0.0911458358, 0.000000e+00, 0.449236304, 0.651041686, -0.322376192, 0.130952388, 0.000000e+00]]> : tensor<6x7xf32>
    %cst_1 = stablehlo.constant dense<[0.0911458358, 0.000000e+00, 0.449236304, 0.651041686, -0.322376192, 0.130952388, 0.000000e+00]> : tensor<7xf32>
    %cst_2 = stablehlo.constant dense<[8.21759284E-4, 0.000000e+00, -0.00283518014, 0.0246527772, -0.0339091979, 0.027936507, -0.0166666675]> : tensor<7xf32>
    %cst_3 = stablehlo.constant dense<[0.100134321, 0.000000e+00, 0.391832173, -0.0298246015, 0.0589326844, -0.0449788868, 0.0239043087]> : tensor<7xf32>
    %0 = stablehlo.slice %arg1 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    %2 = stablehlo.slice %arg0 [0:3] : (tensor<3xf32>) -> tensor<3xf32>
    %3 = stablehlo.negate %2 : tensor<3xf32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<3xf32>
    %6 = stablehlo.slice %arg1 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = stablehlo.abs %arg0 : tensor<3xf32>
    %cst_4 = stablehlo.constant dense<1.400000e-08> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<3xf32>
    %cst_5 = stablehlo.constant dense<1.400000e-08> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.add %11, %10 : tensor<3xf32>
    %13 = stablehlo.divide %arg0, %12 : tensor<3xf32>
    %14 = call @norm(%13) : (tensor<3xf32>) -> tensor<f32>
    %15 = stablehlo.divide %5, %12 : tensor<3xf32>
    %16 = call @norm(%15) : (tensor<3xf32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %17 = stablehlo.compare LT, %14, %cst_6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_7 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %18 = stablehlo.compare LT, %16, %cst_7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %19 = stablehlo.or %17, %18 : tensor<i1>
    %cst_8 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %20 = stablehlo.multiply %cst_8, %14 : tensor<f32>
    %21 = stablehlo.divide %20, %16 : tensor<f32>
    %cst_9 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %22 = call @_where(%19, %cst_9, %21) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %24 = stablehlo.multiply %23, %5 : tensor<3xf32>
    %25 = stablehlo.add %arg0, %24 : tensor<3xf32>
    %26 = stablehlo.add %7, %22 : tensor<f32>
    %27 = stablehlo.slice %25 [0:3] : (tensor<3xf32>) -> tensor<3xf32>
    %28 = stablehlo.negate %27 : tensor<3xf32>
    %29 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %30 = stablehlo.multiply %28, %29 : tensor<3xf32>
    %31 = stablehlo.subtract %30, %5 : tensor<3xf32>
    %32 = stablehlo.divide %31, %12 : tensor<3xf32>
    %33 = call @norm(%32) : (tensor<3xf32>) -> tensor<f32>
    %34 = stablehlo.divide %33, %22 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e-15> : tensor<f32>
    %35 = stablehlo.compare LE, %16, %cst_10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_11 = stablehlo.constant dense<1.000000e-15> : tensor<f32>
    %36 = stablehlo.compare LE, %34, %cst_11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %37 = stablehlo.and %35, %36 : tensor<i1>
    %cst_12 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %38 = stablehlo.multiply %22, %cst_12 : tensor<f32>
    %cst_13 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %39 = stablehlo.maximum %cst_13, %38 : tensor<f32>
    %40 = stablehlo.maximum %16, %34 : tensor<f32>
    %cst_14 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %41 = stablehlo.divide %cst_14, %40 : tensor<f32>
    %cst_15 = stablehlo.constant dense<2.000000e-01> : tensor<f32>
    %42 = stablehlo.power %41, %cst_15 : tensor<f32>
    %43 = call @_where_0(%37, %39, %42) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_16 = stablehlo.constant dense<1.000000e+02> : tensor<f32>
    %44 = stablehlo.multiply %cst_16, %22 : tensor<f32>
    %45 = stablehlo.minimum %44, %43 : tensor<f32>
    %cst_17 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = call @clip(%45, %cst_17, %cst_18) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %47 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %48 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %49 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %50 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %51 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %52 = stablehlo.concatenate %47, %48, %49, %50, %51, dim = 0 : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<5x3xf32>
    %53 = stablehlo.slice %arg1 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %54 = stablehlo.reshape %53 : (tensor<1xf32>) -> tensor<f32>
    %55 = stablehlo.slice %arg1 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %56 = stablehlo.reshape %55 : (tensor<1xf32>) -> tensor<f32>
    %57 = stablehlo.slice %arg1 [1:4] : (tensor<4xf32>) -> tensor<3xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %59:14 = stablehlo.while(%iterArg = %57, %iterArg_20 = %cst, %iterArg_21 = %cst_0, %iterArg_22 = %cst_1, %iterArg_23 = %cst_2, %iterArg_24 = %cst_3, %iterArg_25 = %c, %iterArg_26 = %arg0, %iterArg_27 = %5, %iterArg_28 = %54, %iterArg_29 = %46, %iterArg_30 = %56, %iterArg_31 = %52, %iterArg_32 = %58) : tensor<3xf32>, tensor<7xf32>, tensor<6x7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5x3xf32>, tensor<3x3xf32>
    cond {
      %c_33 = stablehlo.constant dense<3> : tensor<i32>
      %63 = stablehlo.compare LT, %iterArg_25, %c_33, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %63 : tensor<i1>
    } do {
      %63 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_25) : (tensor<3xf32>, tensor<i32>) -> tensor<f32>
      %64:7 = func.call @closed_call(%iterArg_20, %iterArg_21, %iterArg_22, %iterArg_23, %iterArg_24, %iterArg_26, %iterArg_27, %iterArg_28, %iterArg_29, %iterArg_30, %iterArg_31, %63) : (tensor<7xf32>, tensor<6x7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5x3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5x3xf32>, tensor<3xf32>)
      %65 = func.call @dynamic_update_index_in_dim(%iterArg_32, %64#6, %iterArg_25) : (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<3x3xf32>
      %c_33 = stablehlo.constant dense<1> : tensor<i32>
      %66 = stablehlo.add %iterArg_25, %c_33 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_20, %iterArg_21, %iterArg_22, %iterArg_23, %iterArg_24, %66, %64#0, %64#1, %64#2, %64#3, %64#4, %64#5, %65 : tensor<3xf32>, tensor<7xf32>, tensor<6x7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5x3xf32>, tensor<3x3xf32>
    }
    %60 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %61 = stablehlo.concatenate %60, %59#13, dim = 0 : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
    %62 = stablehlo.slice %61 [0:4, 0:3] : (tensor<4x3xf32>) -> tensor<4x3xf32>
    return %62 : tensor<4x3xf32>
  }
  func.func private @norm(%arg0: tensor<3xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @clip(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.maximum %0, %arg0 : tensor<f32>
    %2 = stablehlo.convert %arg1 : tensor<f32>
    %3 = stablehlo.minimum %2, %1 : tensor<f32>
    return %3 : tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<7xf32>, %arg1: tensor<6x7xf32>, %arg2: tensor<7xf32>, %arg3: tensor<7xf32>, %arg4: tensor<7xf32>, %arg5: tensor<3xf32>, %arg6: tensor<3xf32>, %arg7: tensor<f32>, %arg8: tensor<f32>, %arg9: tensor<f32>, %arg10: tensor<5x3xf32>, %arg11: tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5x3xf32>, tensor<3xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:13 = stablehlo.while(%iterArg = %arg11, %iterArg_0 = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %arg2, %iterArg_3 = %arg3, %iterArg_4 = %arg4, %iterArg_5 = %c, %iterArg_6 = %arg5, %iterArg_7 = %arg6, %iterArg_8 = %arg7, %iterArg_9 = %arg8, %iterArg_10 = %arg9, %iterArg_11 = %arg10) : tensor<f32>, tensor<7xf32>, tensor<6x7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5x3xf32>
    cond {
      %5 = stablehlo.compare LT, %iterArg_8, %iterArg, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.convert %iterArg_5 : (tensor<i32>) -> tensor<f32>
      %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
      %7 = stablehlo.compare LT, %6, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_12 = stablehlo.constant dense<false> : tensor<i1>
      %8 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i1>) -> tensor<i1>
      %9 = stablehlo.compare NE, %7, %8, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %10 = stablehlo.convert %9 : tensor<i1>
      %11 = stablehlo.and %5, %10 : tensor<i1>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %12 = stablehlo.compare GT, %iterArg_9, %cst_13, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %13 = stablehlo.and %11, %12 : tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7x3xf32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %6 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %7 = "stablehlo.scatter"(%5, %6, %iterArg_7) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        stablehlo.return %arg13 : tensor<f32>
      }) : (tensor<7x3xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<7x3xf32>
      %c_13 = stablehlo.constant dense<1> : tensor<i32>
      %c_14 = stablehlo.constant dense<0> : tensor<i32>
      %8:8 = stablehlo.while(%iterArg_46 = %iterArg_0, %iterArg_47 = %iterArg_9, %iterArg_48 = %iterArg_8, %iterArg_49 = %iterArg_1, %iterArg_50 = %iterArg_6, %iterArg_51 = %c_14, %iterArg_52 = %c_13, %iterArg_53 = %7) : tensor<7xf32>, tensor<f32>, tensor<f32>, tensor<6x7xf32>, tensor<3xf32>, tensor<i32>, tensor<i32>, tensor<7x3xf32>
      cond {
        %c_54 = stablehlo.constant dense<6> : tensor<i32>
        %116 = stablehlo.compare LT, %iterArg_51, %c_54, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %116 : tensor<i1>
      } do {
        %116:2 = func.call @closed_call_1(%iterArg_46, %iterArg_47, %iterArg_48, %iterArg_49, %iterArg_50, %iterArg_52, %iterArg_53) : (tensor<7xf32>, tensor<f32>, tensor<f32>, tensor<6x7xf32>, tensor<3xf32>, tensor<i32>, tensor<7x3xf32>) -> (tensor<i32>, tensor<7x3xf32>)
        %c_54 = stablehlo.constant dense<1> : tensor<i32>
        %117 = stablehlo.add %iterArg_51, %c_54 : tensor<i32>
        stablehlo.return %iterArg_46, %iterArg_47, %iterArg_48, %iterArg_49, %iterArg_50, %117, %116#0, %116#1 : tensor<7xf32>, tensor<f32>, tensor<f32>, tensor<6x7xf32>, tensor<3xf32>, tensor<i32>, tensor<i32>, tensor<7x3xf32>
      }
      %9 = stablehlo.dot_general %iterArg_2, %8#7, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<7xf32>, tensor<7x3xf32>) -> tensor<3xf32>
      %10 = stablehlo.broadcast_in_dim %iterArg_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %11 = stablehlo.multiply %10, %9 : tensor<3xf32>
      %12 = stablehlo.add %11, %iterArg_6 : tensor<3xf32>
      %13 = stablehlo.dot_general %iterArg_3, %8#7, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<7xf32>, tensor<7x3xf32>) -> tensor<3xf32>
      %14 = stablehlo.broadcast_in_dim %iterArg_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %15 = stablehlo.multiply %14, %13 : tensor<3xf32>
      %16 = stablehlo.slice %8#7 [6:7, 0:3] : (tensor<7x3xf32>) -> tensor<1x3xf32>
      %17 = stablehlo.reshape %16 : (tensor<1x3xf32>) -> tensor<3xf32>
      %18 = stablehlo.add %iterArg_8, %iterArg_9 : tensor<f32>
      %19 = stablehlo.abs %iterArg_6 : tensor<3xf32>
      %20 = stablehlo.abs %12 : tensor<3xf32>
      %21 = stablehlo.maximum %19, %20 : tensor<3xf32>
      %cst_15 = stablehlo.constant dense<1.400000e-08> : tensor<f32>
      %22 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %23 = stablehlo.multiply %22, %21 : tensor<3xf32>
      %cst_16 = stablehlo.constant dense<1.400000e-08> : tensor<f32>
      %24 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %25 = stablehlo.add %24, %23 : tensor<3xf32>
      %26 = stablehlo.divide %15, %25 : tensor<3xf32>
      %27 = stablehlo.multiply %26, %26 : tensor<3xf32>
      %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %28 = stablehlo.reduce(%27 init: %cst_17) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
      %cst_18 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %29 = stablehlo.divide %28, %cst_18 : tensor<f32>
      %30 = stablehlo.sqrt %29 : tensor<f32>
      %31 = stablehlo.dot_general %iterArg_4, %8#7, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<7xf32>, tensor<7x3xf32>) -> tensor<3xf32>
      %32 = stablehlo.broadcast_in_dim %iterArg_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %33 = stablehlo.multiply %32, %31 : tensor<3xf32>
      %34 = stablehlo.add %iterArg_6, %33 : tensor<3xf32>
      %35 = stablehlo.slice %8#7 [0:1, 0:3] : (tensor<7x3xf32>) -> tensor<1x3xf32>
      %36 = stablehlo.reshape %35 : (tensor<1x3xf32>) -> tensor<3xf32>
      %37 = stablehlo.slice %8#7 [6:7, 0:3] : (tensor<7x3xf32>) -> tensor<1x3xf32>
      %38 = stablehlo.reshape %37 : (tensor<1x3xf32>) -> tensor<3xf32>
      %cst_19 = stablehlo.constant dense<-2.000000e+00> : tensor<f32>
      %39 = stablehlo.multiply %cst_19, %iterArg_9 : tensor<f32>
      %40 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %41 = stablehlo.multiply %40, %36 : tensor<3xf32>
      %cst_20 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %42 = stablehlo.multiply %cst_20, %iterArg_9 : tensor<f32>
      %43 = stablehlo.broadcast_in_dim %42, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %44 = stablehlo.multiply %43, %38 : tensor<3xf32>
      %45 = stablehlo.add %41, %44 : tensor<3xf32>
      %cst_21 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %46 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %47 = stablehlo.multiply %46, %iterArg_6 : tensor<3xf32>
      %48 = stablehlo.subtract %45, %47 : tensor<3xf32>
      %cst_22 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %49 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %50 = stablehlo.multiply %49, %12 : tensor<3xf32>
      %51 = stablehlo.subtract %48, %50 : tensor<3xf32>
      %cst_23 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %52 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %53 = stablehlo.multiply %52, %34 : tensor<3xf32>
      %54 = stablehlo.add %51, %53 : tensor<3xf32>
      %cst_24 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
      %55 = stablehlo.multiply %cst_24, %iterArg_9 : tensor<f32>
      %56 = stablehlo.broadcast_in_dim %55, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %57 = stablehlo.multiply %56, %36 : tensor<3xf32>
      %cst_25 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %58 = stablehlo.multiply %cst_25, %iterArg_9 : tensor<f32>
      %59 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %60 = stablehlo.multiply %59, %38 : tensor<3xf32>
      %61 = stablehlo.subtract %57, %60 : tensor<3xf32>
      %cst_26 = stablehlo.constant dense<1.800000e+01> : tensor<f32>
      %62 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %63 = stablehlo.multiply %62, %iterArg_6 : tensor<3xf32>
      %64 = stablehlo.add %61, %63 : tensor<3xf32>
      %cst_27 = stablehlo.constant dense<1.400000e+01> : tensor<f32>
      %65 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %66 = stablehlo.multiply %65, %12 : tensor<3xf32>
      %67 = stablehlo.add %64, %66 : tensor<3xf32>
      %cst_28 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
      %68 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %69 = stablehlo.multiply %68, %34 : tensor<3xf32>
      %70 = stablehlo.subtract %67, %69 : tensor<3xf32>
      %cst_29 = stablehlo.constant dense<-4.000000e+00> : tensor<f32>
      %71 = stablehlo.multiply %cst_29, %iterArg_9 : tensor<f32>
      %72 = stablehlo.broadcast_in_dim %71, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %73 = stablehlo.multiply %72, %36 : tensor<3xf32>
      %74 = stablehlo.broadcast_in_dim %iterArg_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %75 = stablehlo.multiply %74, %38 : tensor<3xf32>
      %76 = stablehlo.add %73, %75 : tensor<3xf32>
      %cst_30 = stablehlo.constant dense<1.100000e+01> : tensor<f32>
      %77 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %78 = stablehlo.multiply %77, %iterArg_6 : tensor<3xf32>
      %79 = stablehlo.subtract %76, %78 : tensor<3xf32>
      %cst_31 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
      %80 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %81 = stablehlo.multiply %80, %12 : tensor<3xf32>
      %82 = stablehlo.subtract %79, %81 : tensor<3xf32>
      %cst_32 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %83 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %84 = stablehlo.multiply %83, %34 : tensor<3xf32>
      %85 = stablehlo.add %82, %84 : tensor<3xf32>
      %86 = stablehlo.broadcast_in_dim %iterArg_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %87 = stablehlo.multiply %86, %36 : tensor<3xf32>
      %88 = stablehlo.broadcast_in_dim %54, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
      %89 = stablehlo.broadcast_in_dim %70, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
      %90 = stablehlo.broadcast_in_dim %85, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
      %91 = stablehlo.broadcast_in_dim %87, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
      %92 = stablehlo.broadcast_in_dim %iterArg_6, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
      %93 = stablehlo.concatenate %88, %89, %90, %91, %92, dim = 0 : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<5x3xf32>
      %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %94 = stablehlo.compare LT, %30, %cst_33, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_35 = stablehlo.constant dense<2.000000e-01> : tensor<f32>
      %95 = func.call @_where_2(%94, %cst_34, %cst_35) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %cst_36 = stablehlo.constant dense<-2.000000e-01> : tensor<f32>
      %96 = stablehlo.power %30, %cst_36 : tensor<f32>
      %cst_37 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %97 = stablehlo.multiply %96, %cst_37 : tensor<f32>
      %98 = stablehlo.convert %95 : tensor<f32>
      %99 = stablehlo.maximum %97, %98 : tensor<f32>
      %cst_38 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
      %100 = stablehlo.minimum %cst_38, %99 : tensor<f32>
      %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %101 = stablehlo.compare EQ, %30, %cst_39, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_40 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
      %102 = stablehlo.multiply %iterArg_9, %cst_40 : tensor<f32>
      %103 = stablehlo.multiply %iterArg_9, %100 : tensor<f32>
      %104 = func.call @_where_0(%101, %102, %103) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %cst_41 = stablehlo.constant dense<0x7F800000> : tensor<f32>
      %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %105 = func.call @clip(%104, %cst_41, %cst_42) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %c_43 = stablehlo.constant dense<1> : tensor<i32>
      %106 = stablehlo.add %iterArg_5, %c_43 : tensor<i32>
      %c_44 = stablehlo.constant dense<1> : tensor<i32>
      %107 = stablehlo.add %iterArg_5, %c_44 : tensor<i32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %108 = stablehlo.compare LE, %30, %cst_45, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %109 = func.call @_where_3(%108, %106, %107) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %110 = func.call @_where_4(%108, %12, %iterArg_6) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %111 = func.call @_where_4(%108, %17, %iterArg_7) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %112 = func.call @_where_0(%108, %18, %iterArg_8) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %113 = func.call @_where_0(%108, %105, %105) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %114 = func.call @_where_0(%108, %iterArg_8, %iterArg_10) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %115 = func.call @_where_5(%108, %93, %iterArg_11) : (tensor<i1>, tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %iterArg_2, %iterArg_3, %iterArg_4, %109, %110, %111, %112, %113, %114, %115 : tensor<f32>, tensor<7xf32>, tensor<6x7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5x3xf32>
    }
    %1 = stablehlo.subtract %arg11, %0#11 : tensor<f32>
    %2 = stablehlo.subtract %0#9, %0#11 : tensor<f32>
    %3 = stablehlo.divide %1, %2 : tensor<f32>
    %4 = call @polyval(%0#12, %3) : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0#7, %0#8, %0#9, %0#10, %0#11, %0#12, %4 : tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5x3xf32>, tensor<3xf32>
  }
  func.func private @closed_call_1(%arg0: tensor<7xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<6x7xf32>, %arg4: tensor<3xf32>, %arg5: tensor<i32>, %arg6: tensor<7x3xf32>) -> (tensor<i32>, tensor<7x3xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg5, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.subtract %arg5, %c_0 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.compare LT, %1, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.convert %1 : tensor<i32>
    %c_2 = stablehlo.constant dense<7> : tensor<i32>
    %4 = stablehlo.add %3, %c_2 : tensor<i32>
    %5 = stablehlo.select %2, %4, %1 : tensor<i1>, tensor<i32>
    %6 = stablehlo.dynamic_slice %arg0, %5, sizes = [1] : (tensor<7xf32>, tensor<i32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = stablehlo.multiply %arg1, %7 : tensor<f32>
    %9 = stablehlo.add %arg2, %8 : tensor<f32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %10 = stablehlo.subtract %arg5, %c_3 : tensor<i32>
    %11 = stablehlo.convert %10 : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.compare LT, %11, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_5 = stablehlo.constant dense<6> : tensor<i32>
    %13 = stablehlo.add %11, %c_5 : tensor<i32>
    %14 = stablehlo.select %12, %13, %11 : tensor<i1>, tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.compare LT, %c_6, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %c_9 = stablehlo.constant dense<7> : tensor<i32>
    %16 = stablehlo.add %c_8, %c_9 : tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.select %15, %16, %c_10 : tensor<i1>, tensor<i32>
    %18 = stablehlo.dynamic_slice %arg3, %14, %17, sizes = [1, 7] : (tensor<6x7xf32>, tensor<i32>, tensor<i32>) -> tensor<1x7xf32>
    %19 = stablehlo.reshape %18 : (tensor<1x7xf32>) -> tensor<7xf32>
    %20 = stablehlo.dot_general %19, %arg6, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<7xf32>, tensor<7x3xf32>) -> tensor<3xf32>
    %21 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %22 = stablehlo.multiply %21, %20 : tensor<3xf32>
    %23 = stablehlo.add %arg4, %22 : tensor<3xf32>
    %24 = stablehlo.slice %23 [0:3] : (tensor<3xf32>) -> tensor<3xf32>
    %25 = stablehlo.negate %24 : tensor<3xf32>
    %26 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %27 = stablehlo.multiply %25, %26 : tensor<3xf32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.compare LT, %arg5, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_12 = stablehlo.constant dense<7> : tensor<i32>
    %29 = stablehlo.add %arg5, %c_12 : tensor<i32>
    %30 = stablehlo.select %28, %29, %arg5 : tensor<i1>, tensor<i32>
    %31 = stablehlo.convert %30 : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %33 = "stablehlo.scatter"(%arg6, %32, %27) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      stablehlo.return %arg8 : tensor<f32>
    }) : (tensor<7x3xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<7x3xf32>
    return %0, %33 : tensor<i32>, tensor<7x3xf32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_where_4(%arg0: tensor<i1>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @_where_5(%arg0: tensor<i1>, %arg1: tensor<5x3xf32>, %arg2: tensor<5x3xf32>) -> tensor<5x3xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<5x3xf32>
    return %0 : tensor<5x3xf32>
  }
  func.func private @polyval(%arg0: tensor<5x3xf32>, %arg1: tensor<f32>) -> tensor<3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.slice %arg0 [0:0, 0:3] : (tensor<5x3xf32>) -> tensor<0x3xf32>
    %2 = stablehlo.slice %arg0 [0:5, 0:3] : (tensor<5x3xf32>) -> tensor<5x3xf32>
    %3 = stablehlo.slice %2 [0:1, 0:3] : (tensor<5x3xf32>) -> tensor<1x3xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x3xf32>) -> tensor<3xf32>
    %5 = call @closed_call_6(%arg1, %0, %4) : (tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %6 = stablehlo.slice %2 [1:2, 0:3] : (tensor<5x3xf32>) -> tensor<1x3xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x3xf32>) -> tensor<3xf32>
    %8 = call @closed_call_6(%arg1, %5, %7) : (tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %9 = stablehlo.slice %2 [2:3, 0:3] : (tensor<5x3xf32>) -> tensor<1x3xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x3xf32>) -> tensor<3xf32>
    %11 = call @closed_call_6(%arg1, %8, %10) : (tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %12 = stablehlo.slice %2 [3:4, 0:3] : (tensor<5x3xf32>) -> tensor<1x3xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x3xf32>) -> tensor<3xf32>
    %14 = call @closed_call_6(%arg1, %11, %13) : (tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %15 = stablehlo.slice %2 [4:5, 0:3] : (tensor<5x3xf32>) -> tensor<1x3xf32>
    %16 = stablehlo.reshape %15 : (tensor<1x3xf32>) -> tensor<3xf32>
    %17 = call @closed_call_6(%arg1, %14, %16) : (tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %17 : tensor<3xf32>
  }
  func.func private @closed_call_6(%arg0: tensor<f32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.multiply %arg1, %0 : tensor<3xf32>
    %2 = stablehlo.add %1, %arg2 : tensor<3xf32>
    return %2 : tensor<3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>) -> tensor<3x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<3x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x3xf32>
    return %1 : tensor<3x3xf32>
  }
}
