"""What becomes of each program in ``values``: fixed, fixed with ``--unsafe``, left, or silent."""

FIXED = {
    "caches": """
        split_key plain_flax plain_dataclass plain_registered plain_register_dataclass
        plain_equinox plain_over_jit plain_over_jit_assigned plain_assigned
        plain_three_that_use_each_other plain_with_helpers plain_tuple plain_lru_cache
        plain_cache_below_property plain_cache_of_a_lambda plain_subclass
        plain_other_class_assigns plain_constant plain_key plain_scan plain_branches
        plain_beside_changes_of_others
    """,
    "frozen": """
        plain_loop_carry plain_while_else plain_cond_expr plain_lambda_value
        plain_comp_value plain_walrus_val plain_ctx_yield_after plain_except_var
        plain_finally_ok plain_try_else_catch plain_try_body_catch plain_starred
        plain_multiline_str plain_await_value plain_aug_all plain_aug_not plain_aug_lambda
        plain_keyword_field plain_class_in_func plain_print_between plain_ann_param_optional
    """,
    "arrays": """
        plain_set plain_all_aug plain_int_aug plain_int_div plain_matmul plain_ellipsis
        plain_bool_const plain_float_index plain_neg plain_side_effect_index
        plain_walrus_index plain_walrus_value plain_eval_order plain_loop_shadow
        plain_comprehension_closure plain_result_dropped plain_yield_in plain_tuple_value
        plain_list_value plain_np_index plain_tuple_var_index plain_slice_var
        plain_starred_index plain_async_gen
    """,
    "users": """
        frozen_rebound_in_training frozen_made_each_round frozen_rebound_by_method
        frozen_rebound_attribute frozen_rebound_element frozen_rebound_async
        frozen_rollback frozen_finally_reads array_elimination array_blocks array_scalar_swap
        array_eager_loop array_eager_augmented
        gram_with_jitter cached_super cached_overridden_by_field
        cached_subclass_field_default cached_nested_class cached_walrus
        cached_semicolons_comments cached_two_decorators_lines lru_method_static
        cached_pickled cached_raises_once cached_in_function_class frozen_step_counter
        frozen_made_in_branch frozen_try_finally frozen_replace_shadowed frozen_multiline
        frozen_classmethod_build frozen_recursion frozen_scan_carry frozen_weird_names
        frozen_async array_set_rows array_numpy_beside array_newaxis array_zeros_like
        array_one_liner array_reshape_only
    """,
}
"""A safe run changes it, and nothing is left to report."""
UNSAFE = {
    "caches": """
        stale_under_another_name_local_helper stale_under_another_name_local_helper_of_a_view
        stale_under_another_name_local_out stale_under_another_name_local_view
        stale_under_another_name_local_alias stale_under_another_name_local_method
        stale_under_another_name_local_copied_to stale_under_another_name_field_helper
        stale_under_another_name_field_helper_of_a_view stale_under_another_name_field_out
        stale_under_another_name_field_view stale_under_another_name_field_alias
        stale_under_another_name_field_method stale_under_another_name_field_copied_to
        stale_under_another_name_global_helper stale_under_another_name_global_helper_of_a_view
        stale_under_another_name_global_out stale_under_another_name_global_view
        stale_under_another_name_global_alias stale_under_another_name_global_method
        stale_under_another_name_global_copied_to stale_popped
        stale_item_of_dict_field stale_append stale_by_alias stale_via_method
        stale_via_helper stale_via_getattr stale_nested stale_nested_alias stale_numpy_field
        stale_numpy_inplace_op stale_global_container stale_global_object stale_class_attr
        stale_class_attr2 stale_setattr stale_object_setattr stale_toplevel stale_for_target
        module_reassigned object_key unknown_container_result_elsewhere container_via_method
        container_ifexp container_split container_tree_leaves container_tree_map
        container_copy_method container_copy_copy container_sorted host_array
        host_array_method exception_once del_field release_field
    """,
    "frozen": """
        method_returns_holder kept_in_lower_maker recursion_drop caller_keeps_old
        list_comp_calls returns_tuple early_return_other kept_by_imported_lower kept_by_replace
        kept_by_dc_replace kept_by_tree_map kept_by_tree_unflatten kept_by_zip kept_by_copy
        kept_by_itertools kept_by_itertools_repeat kept_by_operator kept_by_operator_setitem
        method_returns_self from_me from_factory_annot from_singleton_classmethod async_shared
        posonly_kw
    """,
    "arrays": """
        view_later_written view_T_later helper_annot
    """,
    "users": """
        cached_under_a_matmul_precision
        frozen_given_attribute frozen_given_element frozen_given_beside_itself
        frozen_given_and_held frozen_given_and_held_by_object frozen_given_alias
        frozen_given_starred frozen_given_through_call frozen_given_part frozen_given_in_loop
        frozen_given_in_condition frozen_given_in_comprehension frozen_given_in_closure
        frozen_given_global frozen_given_either frozen_given_cached frozen_given_taken_apart
        frozen_dropped_further_out frozen_dropped_by_method array_given_attribute
        array_given_and_held array_dropped_further_out cached_result_mutable_pytree
        cached_result_module cached_result_variable cached_result_list_of_array
        lru_method_recursive cached_recursive_link cached_ufunc_at cached_clip_out_by_position
        cached_ufunc_out_by_position cached_shuffled_by_generator lru_method_looped_numbers
        cached_rotated_deque cached_function_rebound cached_field_with_state
        cached_fields_of_buffers frozen_thread_target frozen_wrapped_by_assignment
        frozen_in_registry frozen_fluent_by_getattr frozen_enter frozen_property_dropped
        cached_dict_or_equals cached_filled_by_bound_method cached_filled_by_partial
        cached_filled_by_map cached_filled_by_thread lru_method_equal_arguments
        cached_under_another_precision frozen_context_goes_on array_eager_repeated_index
        cached_generic cached_setter_elsewhere cached_class_constant_changed
        cached_numpy_view_row cached_numpy_swap_rows cached_numpy_inplace_shuffle
        cached_buffer_refill cached_dict_update_kw cached_stack_of_configs cached_module_flag
        lru_method_mutated_result lru_method_list cached_is_same_object cached_in_set_by_id
        cached_donated cached_deleted_source cached_property_reads_other_mutable
        cached_by_with_target cached_by_tuple_swap cached_closure_rebound cached_closure_list
        frozen_same_object_twice frozen_same_object_kwargs frozen_same_object_args
        frozen_same_object_global frozen_same_object_parent frozen_equinox_call
        frozen_conditional_return frozen_caller_keeps frozen_caller_via_map
        frozen_caller_via_partial frozen_caller_via_dict frozen_caller_via_alias
        frozen_method_fluent frozen_generator_list array_helper_no_result array_multi_line
        array_view_in_call array_view_tuple_index array_view_attribute_T
    """,
}
"""A safe run leaves it alone; with ``--unsafe`` nothing is left to report."""
DROPPED = {
    "frozen": """
        dropped_by_caller method_arg_drop map_calls global_n self_method after_param_default
    """,
    "arrays": """
        helper_annot_drop
    """,
    "users": """
        frozen_caller_in_list frozen_method_fluent_dropped frozen_nested_function_return
        array_helper_result_dropped
    """,
}
"""A safe run leaves it alone; with ``--unsafe`` what a caller then throws away is reported."""
LEFT = {
    "caches": """
        stale_env env_get counter_object counter_method closure_counter lambda_counter
        bound_next partial_next rand_by_field_name rand_local_of_global_seeded
        list_default_mut func_attr classmethod_count classmethod_count2 super_count
        in_comprehension_effect effect_as_value effect_in_or effect_in_lambda effect_by_map
        effect_bound_method_alias effect_unknown_value tree_map_effect pure_callback_effect
        io_callback_effect subclass_field subclass_field_default subclass_init_sets
        init_preset preset_update preset_loop_setattr own_field_and_property hasattr_dict
        slots_vars isinstance_type identity_two_names identity_in_list
        unknown_container_result
    """,
    "frozen": """
        try_helper own_context loop_var loop_alias_before lambda_value_self
        comp_shadow chain tuple_target nested_obj part_alias kept_in_outer
        kept_by_bisect kept_by_heap kept_by_tuple_index kept_by_or
        kept_by_ifexp bound_method_kept from_factory match_capture
        del_attr static_field type_check_only returned_in_lambda nested_def_write with_as
    """,
    "arrays": """
        also_numpy_eager also_vmap_numpy method_also_numpy bool_mask_where view_slice view_T
        view_ravel view_asarray view_real view_array_split view_iter view_unpack swap
        nested_index side_effect_index2 walrus_value_bare order_walrus zeros_like tuple_aug
        list_aug range_index list_var_index list_comp_index dyn_slice cond_branch
        backend_param
    """,
    "users": """
        cached_patched cached_context_variable frozen_decorator_registers array_nested_writer
        cached_reads_path cached_loads_array cached_counts_by_property_of_field
        cached_weakly_referenced cached_subclass_counts array_eager_alias array_eager_kept_in_list
        array_eager_from_numpy array_eager_not_read
        cached_identity_dict_key cached_counter cached_global_counter cached_closure_counter
        cached_np_random cached_np_random_in_helper cached_iterator_field
        cached_env cached_time lru_method_info cached_optional_branch
        cached_by_loop_setattr cached_by_vars_update cached_hasattr_dict
        cached_protocol_mixin cached_default_argument cached_calls_method_that_acts
        cached_operator_acts cached_getitem_acts cached_property_acts_through_property
        cached_map_of_acting cached_with_context_acts cached_dict_setdefault
        frozen_alias_before frozen_alias_in_walrus frozen_alias_in_lambda
        frozen_alias_by_default frozen_alias_in_tuple frozen_alias_in_loop_list
        frozen_from_field frozen_from_dict_get frozen_from_method frozen_from_for
        frozen_property_setter frozen_subclass_overrides_replace frozen_subclass_post_init
        frozen_equinox_list_field frozen_namedtuple_unpacked frozen_caller_via_decorator_ok
        frozen_generator frozen_global_statement frozen_del_after frozen_match
        frozen_hash_in_dict
    """,
}
"""It is reported, and neither run changes it."""
SILENT = {
    "frozen": """
        raises_with suppress assert_raises raises_helper raises_helper_call nested_raises
        kept_by_or_rev try_outer_catch union_mutable
    """,
    "arrays": """
        also_numpy_eager2 scan_body_also_python try_except try_numpy_fallback
        isinstance_branch isinstance_early new_ref listy
    """,
}
"""Nothing is reported, and neither run changes it."""
DISPOSITIONS = {
    f"{group}_{name}": disposition
    for disposition, groups in {
        "fixed": FIXED,
        "needs --unsafe": UNSAFE,
        "partly needs --unsafe": DROPPED,
        "left": LEFT,
        "silent": SILENT,
    }.items()
    for group, names in groups.items()
    for name in names.split()
}
