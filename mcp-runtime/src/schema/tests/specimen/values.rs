//! The values of the types under test.

use super::*;

pub(super) fn scalars() -> Vec<Specimen> {
    vec![
        specimen::<i8>("i8", &[i8::MIN, 0, i8::MAX]),
        specimen::<i16>("i16", &[i16::MIN, i16::MAX]),
        specimen::<i32>("i32", &[i32::MIN, i32::MAX]),
        specimen::<i64>("i64", &[i64::MIN, i64::MAX]),
        specimen::<i128>("i128", &[-5, 5]),
        specimen::<isize>("isize", &[isize::MIN, isize::MAX]),
        specimen::<u8>("u8", &[0, u8::MAX]),
        specimen::<u16>("u16", &[0, u16::MAX]),
        specimen::<u32>("u32", &[0, u32::MAX]),
        specimen::<u64>("u64", &[0, u64::MAX]),
        specimen::<u128>("u128", &[0, 5]),
        specimen::<usize>("usize", &[0, usize::MAX]),
        specimen::<NonZeroU8>("nonzero_u8", &[NonZeroU8::MIN, NonZeroU8::MAX]),
        specimen::<NonZeroI32>("nonzero_i32", &[NonZeroI32::MIN, NonZeroI32::MAX]),
        specimen::<f32>("f32", &[0.5, -3.0]),
        specimen::<f64>("f64", &[0.1, 1e300]),
        specimen::<bool>("bool", &[true, false]),
        specimen::<char>("char", &['a', 'ß', '💡', '"']),
        specimen::<String>("string", &[String::new(), "a \"b\" \u{0}".to_owned()]),
        specimen::<()>("unit", &[()]),
        specimen::<Value>(
            "value",
            &[Value::Null, serde_json::json!({ "a": [1, "b"] })],
        ),
        specimen::<std::path::PathBuf>("path", &["/srv".into()]),
        specimen::<std::net::Ipv4Addr>("ipv4", &[std::net::Ipv4Addr::LOCALHOST]),
    ]
}

pub(super) fn collections() -> Vec<Specimen> {
    vec![
        specimen::<Vec<u8>>("bytes", &[vec![], vec![0, 255]]),
        specimen::<Vec<Vec<Option<i64>>>>("nullable_cells", &[vec![vec![Some(1), None], vec![]]]),
        specimen::<[i32; 3]>("array", &[[1, 2, 3]]),
        specimen::<(i64, i64)>("tuple_alike", &[(1, 2)]),
        specimen::<(i64, String, bool)>("tuple_mixed", &[(1, "a".to_owned(), true)]),
        specimen::<(i8, Option<String>)>("tuple_nullable", &[(1, None), (2, Some("b".to_owned()))]),
        specimen::<BTreeSet<u16>>("set", &[BTreeSet::from([1, 2])]),
        specimen::<HashMap<String, i64>>("map", &[HashMap::from([("a".to_owned(), 1)])]),
        specimen::<BTreeMap<i64, bool>>(
            "map_integer_keys",
            &[BTreeMap::from([(-1, true), (0, false)])],
        ),
        specimen::<BTreeMap<Documented, u8>>(
            "map_enum_keys",
            &[BTreeMap::from([(Documented::Json, 1)])],
        ),
        specimen::<BTreeMap<String, Option<Point>>>(
            "map_nullable",
            &[BTreeMap::from([("a".to_owned(), None)])],
        ),
        specimen::<serde_json::Map<String, Value>>("map_free", &[serde_json::Map::new()]),
        specimen::<HashMap<Plain, u8>>("map_plain_keys", &[HashMap::from([(Plain::Json, 1)])]),
        specimen::<BTreeMap<char, Vec<(String, Option<f32>)>>>(
            "map_character_keys",
            &[BTreeMap::from([(
                'a',
                vec![("b".to_owned(), Some(0.5)), (String::new(), None)],
            )])],
        ),
        specimen::<Option<Option<bool>>>("option_twice", &[Some(Some(true)), None]),
        specimen::<Option<u32>>("option", &[Some(1), None]),
        specimen::<Option<Point>>("option_record", &[Some(point()), None]),
        specimen::<Result<i64, String>>("result", &[Ok(1), Err("no".to_owned())]),
        specimen::<Duration>("duration", &[Duration::from_millis(1_500)]),
    ]
}

pub(super) fn records() -> Vec<Specimen> {
    vec![
        specimen::<Point>("record", &[point()]),
        specimen::<Nested>(
            "record_nested",
            &[Nested {
                name: "a".to_owned(),
                place: point(),
                route: vec![point()],
                note: None,
                count: 1,
                tries: 0,
            }],
        ),
        specimen::<Empty>("record_empty", &[Empty {}]),
        specimen::<Unit>("record_unit", &[Unit]),
        specimen::<Meters>("newtype", &[Meters(2.5)]),
        specimen::<Pair>("record_tuple", &[Pair(1, "b".to_owned())]),
        specimen::<Plain>("enum_plain", &[Plain::Markdown, Plain::Json]),
        specimen::<Documented>(
            "enum_documented",
            &[Documented::Markdown, Documented::Json, Documented::Text],
        ),
        specimen::<External>(
            "enum_external",
            &[
                External::Nothing,
                External::One(1),
                External::Two(2, "c".to_owned()),
                External::Fields {
                    a: 1,
                    b: Some(true),
                },
            ],
        ),
        specimen::<Internal>(
            "enum_internal",
            &[
                Internal::Circle { radius: 1.0 },
                Internal::Square {
                    side: 2,
                    label: None,
                },
                Internal::At(point()),
                Internal::Nothing,
            ],
        ),
        specimen::<Adjacent>(
            "enum_adjacent",
            &[
                Adjacent::Number(1),
                Adjacent::Fields { a: "b".to_owned() },
                Adjacent::Nothing,
            ],
        ),
        specimen::<Untagged>(
            "enum_untagged",
            &[
                Untagged::Number(1),
                Untagged::Text("a".to_owned()),
                Untagged::Place(point()),
                Untagged::Many(vec![1]),
            ],
        ),
        specimen::<Flattened>(
            "flattened",
            &[Flattened {
                id: 1,
                place: point(),
                shape: Internal::Square {
                    side: 1,
                    label: Some("a".to_owned()),
                },
            }],
        ),
        specimen::<AnyRest>(
            "flattened_any",
            &[AnyRest {
                id: 1,
                rest: BTreeMap::from([("z".to_owned(), serde_json::json!([null, "a"]))]),
            }],
        ),
        specimen::<ValueRest>(
            "flattened_value",
            &[ValueRest {
                note: Some("a".to_owned()),
                rest: serde_json::json!({ "z": 1 }),
            }],
        ),
        specimen::<VariantRest>(
            "flattened_in_variants",
            &[
                VariantRest::Fields {
                    a: 1,
                    rest: serde_json::Map::from_iter([("z".to_owned(), Value::Null)]),
                },
                VariantRest::Mixed {
                    place: Corner { left: 1, top: 2 },
                    choice: Choice::Second { deep: true },
                    rest: HashMap::from([("z".to_owned(), serde_json::json!({ "y": 1 }))]),
                },
                VariantRest::Counted {
                    choice: Choice::First(1),
                    rest: BTreeMap::from([("z".to_owned(), -1)]),
                },
                VariantRest::Strict { a: 1 },
            ],
        ),
        specimen::<Extended>("record_extended", &[Extended { a: 1 }]),
        specimen::<Rest>(
            "flattened_map",
            &[Rest {
                id: 1,
                rest: BTreeMap::from([("a".to_owned(), 5)]),
            }],
        ),
        specimen::<FlattenedEnums>(
            "flattened_enums",
            &[
                FlattenedEnums {
                    external: Choice::First(1),
                    internal: None,
                    place: None,
                },
                FlattenedEnums {
                    external: Choice::Second { deep: true },
                    internal: Some(Internal::Square {
                        side: 1,
                        label: None,
                    }),
                    place: Some(Corner { left: 1, top: 2 }),
                },
            ],
        ),
        specimen::<Defaults>("record_defaults", &[Defaults::default()]),
        specimen::<Strict>(
            "enum_strict",
            &[
                Strict::Add {
                    first_term: 1,
                    second_term: None,
                },
                Strict::Nothing {},
            ],
        ),
        specimen::<Loose>(
            "enum_loose",
            &[
                Loose::Flag(true),
                Loose::Both { a: 1, b: 2 },
                Loose::One { a: 1 },
                Loose::Text(None),
            ],
        ),
        specimen::<Renamed>(
            "renamed",
            &[Renamed {
                first_name: "a".to_owned(),
                class: "b".to_owned(),
                last_name: None,
            }],
        ),
        specimen::<Tree>("recursive_record", &[tree(0), tree(2)]),
        specimen::<Expression>(
            "recursive_enum",
            &[Expression::Sum(vec![
                Expression::Number(1),
                Expression::Negative(Box::new(Expression::Number(2))),
            ])],
        ),
        specimen::<Page<Point>>(
            "generic_record",
            &[Page {
                items: vec![point()],
                next: Some("x".to_owned()),
            }],
        ),
        specimen::<Page<u64>>(
            "generic_integers",
            &[Page {
                items: vec![1],
                next: None,
            }],
        ),
        specimen::<Keywords>(
            "named_like_keywords",
            &[Keywords {
                title: "a".to_owned(),
                description: "b".to_owned(),
                default: 1,
                format: None,
                reference: "c".to_owned(),
                r#type: "d".to_owned(),
                properties: BTreeMap::from([("e".to_owned(), true)]),
                required: vec!["f".to_owned()],
                list: vec![1],
            }],
        ),
        specimen::<Limited>(
            "limited",
            &[Limited {
                limit: 1,
                name: "abc".to_owned(),
                code: "x".to_owned(),
                list: vec![1],
                steps: 15,
            }],
        ),
        specimen::<Widths>(
            "widths",
            &[Widths {
                a: 1,
                b: 2,
                c: 3,
                d: 4,
                e: 5,
                f: 6,
                g: 7,
                h: 8,
                i: 9,
                j: 10,
            }],
        ),
    ]
}
