/** The tests that run on each engine: code above `database/` must not depend on which Postgres runs below. */
export const ON_ANY_ENGINE = [
  ...['rest', 'auth', 'storage', 'realtime'].map((part) => `undock/src/${part}/`),
  ...['bootstrap/bootstrap', 'migrations/apply'].map((name) => `undock/src/database/${name}.test.ts`),
]

/** Where the extension vector was not compiled, its tests on the native Postgres are left out. */
export const WITHOUT_VECTOR = '--exclude=src/storage/vectors/**'
