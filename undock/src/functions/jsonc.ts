/** Reads JSON with comments and trailing commas, as deno.json may have them. @throws {SyntaxError} */
export function parseJsonc(text: string): unknown {
  // Strings are matched first, so that what looks like a comment inside of one stays.
  const plain = text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (match) =>
    match.startsWith('"') ? match : ' ',
  )
  return JSON.parse(plain.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (match) => (match === ',' ? '' : match)))
}
