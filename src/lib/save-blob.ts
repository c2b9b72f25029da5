/** Until the browser has surely taken over what is at the address. */
const KEPT_MS = 60_000

/** Hands a file to the browser, which puts it where downloads go. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}
