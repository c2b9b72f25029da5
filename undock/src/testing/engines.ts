/** The engines for tests of what may not differ between them: the default one, at night both. */
export const ENGINES = process.env.NIGHTLY ? (['native', 'pglite'] as const) : (['native'] as const)
