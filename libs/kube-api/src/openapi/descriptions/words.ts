/** What is said of definitions and their fields: by definition, then by field; `''` is the definition itself. One plain sentence each. */
export type Words = Readonly<Record<string, Readonly<Record<string, string>>>>;
