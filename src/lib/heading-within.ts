/** A heading comes with those above it; the first is often the title, which stands over the passage already.
 *  @returns what is left of it, nothing where that is all. */
export function headingWithin(heading: string | null, title: string): string {
  if (!heading || heading === title) return ''
  return heading.startsWith(`${title} › `) ? heading.slice(title.length + 3) : heading
}
