/** Returns a passage's headings without the document's title, which is shown anyway. */
export function headingWithin(heading: string | null, title: string): string {
  if (!heading || heading === title) return ''
  return heading.startsWith(`${title} › `) ? heading.slice(title.length + 3) : heading
}
