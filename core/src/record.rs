//! The macro behind every struct a host builds: `new` takes what is required, a setter exists for
//! each optional field, unknown keys are an error when it is read.

/// Declares a struct: required fields, a semicolon, optional fields.
macro_rules! record {
    ($(#[$meta:meta])* $name:ident {
        $($(#[$required_meta:meta])* $required:ident: $required_type:ty,)*
        ;
        $($(#[$optional_meta:meta])* $optional:ident: $optional_type:ty,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$required_meta])* pub $required: $required_type,)*
            $($(#[$optional_meta])* #[serde(default)] pub $optional: $optional_type,)*
        }

        impl $name {
            /// With everything optional left out.
            #[allow(clippy::new_without_default, reason = "`new` takes what is required; here that may be nothing")]
            pub fn new($($required: impl Into<$required_type>),*) -> Self {
                $name {
                    $($required: $required.into(),)*
                    $($optional: Default::default(),)*
                }
            }

            $(
                $(#[$optional_meta])*
                pub fn $optional(mut self, $optional: impl Into<$optional_type>) -> Self {
                    self.$optional = $optional.into();
                    self
                }
            )*
        }
    };
}

pub(crate) use record;
