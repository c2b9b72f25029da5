/** Parses JSON with comments and trailing commas, which deno.json may contain. @throws {SyntaxError} */
export function parseJsonc(text: string): unknown {
  // Strings are matched first, so that text inside a string that looks like a comment is kept.
  const plain = text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (match) =>
    match.startsWith('"') ? match : ' ',
  )
  return JSON.parse(plain.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (match) => (match === ',' ? '' : match)))
}
