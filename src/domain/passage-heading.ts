/** The path of headings above a passage, without the document's title, which is shown anyway.
 *  @returns the remaining path, or an empty text. */
export function headingWithin(heading: string | null, title: string): string {
  if (!heading || heading === title) return ''
  return heading.startsWith(`${title} › `) ? heading.slice(title.length + 3) : heading
}
