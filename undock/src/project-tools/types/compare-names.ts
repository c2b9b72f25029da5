const collator = new Intl.Collator('en')
/** The order of names in generated types, the same on every machine. */
export const compareNames = (a: string, b: string): number => collator.compare(a, b)
