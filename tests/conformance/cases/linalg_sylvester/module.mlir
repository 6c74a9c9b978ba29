module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:4, 0:4] : (tensor<2x4x4xf32>) -> tensor<1x4x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.slice %arg0 [1:2, 0:4, 0:4] : (tensor<2x4x4xf32>) -> tensor<1x4x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %5 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %7 = stablehlo.add %4, %6 : tensor<4x4xi32>
    %8 = stablehlo.compare EQ, %7, %5, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %9 = stablehlo.convert %8 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %10 = call @solve_sylvester(%1, %3, %9) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %10 : tensor<4x4xf32>
  }
  func.func private @solve_sylvester(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %cst = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %0 = call @_solve_sylvester_2d(%arg0, %arg1, %arg2, %cst) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func private @_solve_sylvester_2d(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4xf32>, %arg3: tensor<f32>) -> tensor<4x4xf32> {
    %0:2 = call @_schur(%arg0) : (tensor<4x4xf32>) -> (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>)
    %1 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2:2 = call @_schur(%1) : (tensor<4x4xf32>) -> (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>)
    %3 = stablehlo.real %0#1 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %4 = stablehlo.imag %0#1 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %5 = stablehlo.negate %4 : tensor<4x4xf32>
    %6 = stablehlo.complex %3, %5 : tensor<4x4xcomplex<f32>>
    %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %8 = stablehlo.convert %arg2 : (tensor<4x4xf32>) -> tensor<4x4xcomplex<f32>>
    %9 = stablehlo.dot_general %7, %8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %10 = stablehlo.dot_general %9, %2#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %11 = stablehlo.real %2#0 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %12 = stablehlo.imag %2#0 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %13 = stablehlo.negate %12 : tensor<4x4xf32>
    %14 = stablehlo.complex %11, %13 : tensor<4x4xcomplex<f32>>
    %15 = stablehlo.transpose %14, dims = [1, 0] : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %16 = stablehlo.iota dim = 0 : tensor<16xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %18 = stablehlo.multiply %17, %16 : tensor<16xi32>
    %c_0 = stablehlo.constant dense<15> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %20 = stablehlo.add %19, %18 : tensor<16xi32>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %21 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<16xcomplex<f32>>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %22:6 = stablehlo.while(%iterArg = %20, %iterArg_3 = %10, %iterArg_4 = %0#0, %iterArg_5 = %15, %iterArg_6 = %c_1, %iterArg_7 = %21) : tensor<16xi32>, tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<i32>, tensor<16xcomplex<f32>>
    cond {
      %c_8 = stablehlo.constant dense<16> : tensor<i32>
      %46 = stablehlo.compare LT, %iterArg_6, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %46 : tensor<i1>
    } do {
      %46 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<16xi32>, tensor<i32>) -> tensor<i32>
      %47 = func.call @closed_call(%iterArg_3, %iterArg_4, %iterArg_5, %iterArg_7, %46) : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<16xcomplex<f32>>, tensor<i32>) -> tensor<16xcomplex<f32>>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %48 = stablehlo.add %iterArg_6, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_3, %iterArg_4, %iterArg_5, %48, %47 : tensor<16xi32>, tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<i32>, tensor<16xcomplex<f32>>
    }
    %23 = stablehlo.reshape %22#5 : (tensor<16xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %24 = stablehlo.dot_general %0#1, %23, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %25 = stablehlo.real %2#1 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %26 = stablehlo.imag %2#1 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %27 = stablehlo.negate %26 : tensor<4x4xf32>
    %28 = stablehlo.complex %25, %27 : tensor<4x4xcomplex<f32>>
    %29 = stablehlo.transpose %28, dims = [1, 0] : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %30 = stablehlo.dot_general %24, %29, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %31 = stablehlo.real %30 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %32 = call @eigvals(%arg0) : (tensor<4x4xf32>) -> tensor<4xcomplex<f32>>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<4xcomplex<f32>>) -> tensor<4x1xcomplex<f32>>
    %34 = call @eigvals(%arg1) : (tensor<4x4xf32>) -> tensor<4xcomplex<f32>>
    %35 = stablehlo.broadcast_in_dim %34, dims = [1] : (tensor<4xcomplex<f32>>) -> tensor<1x4xcomplex<f32>>
    %36 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<4x1xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %37 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<1x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %38 = stablehlo.add %36, %37 : tensor<4x4xcomplex<f32>>
    %39 = stablehlo.abs %38 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %40 = stablehlo.convert %arg3 : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %42 = stablehlo.compare LT, %39, %41, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %43 = stablehlo.reduce(%42 init: %c_2) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x4xi1>, tensor<i1>) -> tensor<i1>
    %44 = stablehlo.convert %43 : (tensor<i1>) -> tensor<i32>
    %45 = "stablehlo.case"(%44) ({
      stablehlo.return %31 : tensor<4x4xf32>
    }, {
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %46 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %47 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %48 = stablehlo.multiply %46, %47 : tensor<4x4xf32>
      stablehlo.return %48 : tensor<4x4xf32>
    }) : (tensor<i32>) -> tensor<4x4xf32>
    return %45 : tensor<4x4xf32>
  }
  func.func private @_schur(%arg0: tensor<4x4xf32>) -> (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) {
    %0 = stablehlo.convert %arg0 : (tensor<4x4xf32>) -> tensor<4x4xcomplex<f32>>
    %1:5 = stablehlo.custom_call @lapack_cgees_ffi(%0) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m, n], [o], [], []) {i=4, j=4, k=4, l=4, m=4, n=4, o=4}, custom>} : (tensor<4x4xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<i32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %3 = stablehlo.compare EQ, %1#4, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<4x4xcomplex<f32>>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %7 = stablehlo.select %6, %1#0, %5 : tensor<4x4xi1>, tensor<4x4xcomplex<f32>>
    %8 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<4x4xcomplex<f32>>
    %10 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %11 = stablehlo.select %10, %1#1, %9 : tensor<4x4xi1>, tensor<4x4xcomplex<f32>>
    return %7, %11 : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<16xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<16xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<4x4xcomplex<f32>>, %arg1: tensor<4x4xcomplex<f32>>, %arg2: tensor<4x4xcomplex<f32>>, %arg3: tensor<16xcomplex<f32>>, %arg4: tensor<i32>) -> tensor<16xcomplex<f32>> {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %0 = call @floor_divide(%arg4, %c) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %1 = call @remainder(%arg4, %c_0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.reshape %arg3 : (tensor<16xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare LT, %0, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %4 = stablehlo.add %0, %c_2 : tensor<i32>
    %5 = stablehlo.select %3, %4, %0 : tensor<i1>, tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<4> : tensor<i32>
    %7 = stablehlo.add %1, %c_4 : tensor<i32>
    %8 = stablehlo.select %6, %7, %1 : tensor<i1>, tensor<i32>
    %9 = stablehlo.dynamic_slice %arg0, %5, %8, sizes = [1, 1] : (tensor<4x4xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<1x1xcomplex<f32>>
    %10 = stablehlo.reshape %9 : (tensor<1x1xcomplex<f32>>) -> tensor<complex<f32>>
    %11 = stablehlo.iota dim = 0 : tensor<4xi32>
    %12 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %13 = stablehlo.compare GT, %11, %12, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.compare LT, %0, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<4> : tensor<i32>
    %15 = stablehlo.add %0, %c_6 : tensor<i32>
    %16 = stablehlo.select %14, %15, %0 : tensor<i1>, tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.compare LT, %c_7, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %c_10 = stablehlo.constant dense<4> : tensor<i32>
    %18 = stablehlo.add %c_9, %c_10 : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.select %17, %18, %c_11 : tensor<i1>, tensor<i32>
    %20 = stablehlo.dynamic_slice %arg1, %16, %19, sizes = [1, 4] : (tensor<4x4xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<1x4xcomplex<f32>>
    %21 = stablehlo.reshape %20 : (tensor<1x4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.compare LT, %c_12, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %c_15 = stablehlo.constant dense<4> : tensor<i32>
    %23 = stablehlo.add %c_14, %c_15 : tensor<i32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.select %22, %23, %c_16 : tensor<i1>, tensor<i32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %25 = stablehlo.compare LT, %1, %c_17, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_18 = stablehlo.constant dense<4> : tensor<i32>
    %26 = stablehlo.add %1, %c_18 : tensor<i32>
    %27 = stablehlo.select %25, %26, %1 : tensor<i1>, tensor<i32>
    %28 = stablehlo.dynamic_slice %2, %24, %27, sizes = [4, 1] : (tensor<4x4xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<4x1xcomplex<f32>>
    %29 = stablehlo.reshape %28 : (tensor<4x1xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %30 = stablehlo.multiply %21, %29 : tensor<4xcomplex<f32>>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = call @_where_0(%13, %30, %cst) : (tensor<4xi1>, tensor<4xcomplex<f32>>, tensor<f32>) -> tensor<4xcomplex<f32>>
    %cst_19 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %32 = stablehlo.reduce(%31 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
    %33 = stablehlo.iota dim = 0 : tensor<4xi32>
    %34 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %35 = stablehlo.compare GT, %33, %34, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %36 = stablehlo.compare LT, %0, %c_20, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_21 = stablehlo.constant dense<4> : tensor<i32>
    %37 = stablehlo.add %0, %c_21 : tensor<i32>
    %38 = stablehlo.select %36, %37, %0 : tensor<i1>, tensor<i32>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %39 = stablehlo.compare LT, %c_22, %c_23, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %c_25 = stablehlo.constant dense<4> : tensor<i32>
    %40 = stablehlo.add %c_24, %c_25 : tensor<i32>
    %c_26 = stablehlo.constant dense<0> : tensor<i32>
    %41 = stablehlo.select %39, %40, %c_26 : tensor<i1>, tensor<i32>
    %42 = stablehlo.dynamic_slice %2, %38, %41, sizes = [1, 4] : (tensor<4x4xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<1x4xcomplex<f32>>
    %43 = stablehlo.reshape %42 : (tensor<1x4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %44 = stablehlo.compare LT, %c_27, %c_28, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_29 = stablehlo.constant dense<0> : tensor<i32>
    %c_30 = stablehlo.constant dense<4> : tensor<i32>
    %45 = stablehlo.add %c_29, %c_30 : tensor<i32>
    %c_31 = stablehlo.constant dense<0> : tensor<i32>
    %46 = stablehlo.select %44, %45, %c_31 : tensor<i1>, tensor<i32>
    %c_32 = stablehlo.constant dense<0> : tensor<i32>
    %47 = stablehlo.compare LT, %1, %c_32, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_33 = stablehlo.constant dense<4> : tensor<i32>
    %48 = stablehlo.add %1, %c_33 : tensor<i32>
    %49 = stablehlo.select %47, %48, %1 : tensor<i1>, tensor<i32>
    %50 = stablehlo.dynamic_slice %arg2, %46, %49, sizes = [4, 1] : (tensor<4x4xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<4x1xcomplex<f32>>
    %51 = stablehlo.reshape %50 : (tensor<4x1xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %52 = stablehlo.multiply %43, %51 : tensor<4xcomplex<f32>>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = call @_where_0(%35, %52, %cst_34) : (tensor<4xi1>, tensor<4xcomplex<f32>>, tensor<f32>) -> tensor<4xcomplex<f32>>
    %cst_35 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %54 = stablehlo.reduce(%53 init: %cst_35) applies stablehlo.add across dimensions = [0] : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
    %55 = stablehlo.add %32, %54 : tensor<complex<f32>>
    %56 = stablehlo.subtract %10, %55 : tensor<complex<f32>>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %57 = stablehlo.compare LT, %0, %c_36, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_37 = stablehlo.constant dense<4> : tensor<i32>
    %58 = stablehlo.add %0, %c_37 : tensor<i32>
    %59 = stablehlo.select %57, %58, %0 : tensor<i1>, tensor<i32>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %60 = stablehlo.compare LT, %0, %c_38, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_39 = stablehlo.constant dense<4> : tensor<i32>
    %61 = stablehlo.add %0, %c_39 : tensor<i32>
    %62 = stablehlo.select %60, %61, %0 : tensor<i1>, tensor<i32>
    %63 = stablehlo.dynamic_slice %arg1, %59, %62, sizes = [1, 1] : (tensor<4x4xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<1x1xcomplex<f32>>
    %64 = stablehlo.reshape %63 : (tensor<1x1xcomplex<f32>>) -> tensor<complex<f32>>
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %65 = stablehlo.compare LT, %1, %c_40, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_41 = stablehlo.constant dense<4> : tensor<i32>
    %66 = stablehlo.add %1, %c_41 : tensor<i32>
    %67 = stablehlo.select %65, %66, %1 : tensor<i1>, tensor<i32>
    %c_42 = stablehlo.constant dense<0> : tensor<i32>
    %68 = stablehlo.compare LT, %1, %c_42, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_43 = stablehlo.constant dense<4> : tensor<i32>
    %69 = stablehlo.add %1, %c_43 : tensor<i32>
    %70 = stablehlo.select %68, %69, %1 : tensor<i1>, tensor<i32>
    %71 = stablehlo.dynamic_slice %arg2, %67, %70, sizes = [1, 1] : (tensor<4x4xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<1x1xcomplex<f32>>
    %72 = stablehlo.reshape %71 : (tensor<1x1xcomplex<f32>>) -> tensor<complex<f32>>
    %73 = stablehlo.add %64, %72 : tensor<complex<f32>>
    %74 = stablehlo.divide %56, %73 : tensor<complex<f32>>
    %c_44 = stablehlo.constant dense<4> : tensor<i32>
    %75 = stablehlo.multiply %0, %c_44 : tensor<i32>
    %76 = stablehlo.add %75, %1 : tensor<i32>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %77 = stablehlo.compare LT, %76, %c_45, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_46 = stablehlo.constant dense<16> : tensor<i32>
    %78 = stablehlo.add %76, %c_46 : tensor<i32>
    %79 = stablehlo.select %77, %78, %76 : tensor<i1>, tensor<i32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %81 = "stablehlo.scatter"(%arg3, %80, %74) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg5: tensor<complex<f32>>, %arg6: tensor<complex<f32>>):
      stablehlo.return %arg6 : tensor<complex<f32>>
    }) : (tensor<16xcomplex<f32>>, tensor<1xi32>, tensor<complex<f32>>) -> tensor<16xcomplex<f32>>
    return %81 : tensor<16xcomplex<f32>>
  }
  func.func private @floor_divide(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.divide %arg0, %0 : tensor<i32>
    %2 = stablehlo.sign %arg0 : tensor<i32>
    %3 = stablehlo.sign %0 : tensor<i32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.remainder %arg0, %0 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare NE, %5, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.and %4, %6 : tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %8 = stablehlo.subtract %1, %c_0 : tensor<i32>
    %9 = call @_where(%7, %8, %1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    return %9 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare NE, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = stablehlo.and %7, %4 : tensor<i1>
    %9 = stablehlo.add %3, %2 : tensor<i32>
    %10 = stablehlo.select %8, %9, %3 : tensor<i1>, tensor<i32>
    return %10 : tensor<i32>
  }
  func.func private @_where_0(%arg0: tensor<4xi1>, %arg1: tensor<4xcomplex<f32>>, %arg2: tensor<f32>) -> tensor<4xcomplex<f32>> {
    %0 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<4xi1>, tensor<4xcomplex<f32>>
    return %2 : tensor<4xcomplex<f32>>
  }
  func.func private @eigvals(%arg0: tensor<4x4xf32>) -> tensor<4xcomplex<f32>> {
    %0:5 = stablehlo.custom_call @lapack_sgeev_ffi(%arg0) {backend_config = "", mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k], [l], [m, n], [o, p], []) {i=4, j=4, k=4, l=4, m=4, n=4, o=4, p=4}, custom>} : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<i32>)
    %1 = stablehlo.complex %0#0, %0#1 : tensor<4xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %3 = stablehlo.compare EQ, %0#4, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<1xi1>) -> tensor<4xi1>
    %7 = stablehlo.select %6, %1, %5 : tensor<4xi1>, tensor<4xcomplex<f32>>
    return %7 : tensor<4xcomplex<f32>>
  }
}
