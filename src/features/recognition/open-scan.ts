/** How reading a scan ended: complete, early, or with an error. */
type ScanEnd = 'done' | 'stopped' | 'failed'

export type OpenScan = {
  readonly pages: readonly number[]
  readonly total: number
  /** Recognizes and stores a page. @returns whether it had text. */
  read(page: number): Promise<boolean>
  close(end: ScanEnd): Promise<void>
}

/** Reads the remaining pages in order.
 *  @param mayGoOn Called before each page with the number of pages done.
 *  @returns the number of pages with text. */
export async function readScan(scan: OpenScan, mayGoOn: (done: number) => Promise<boolean>): Promise<number> {
  let withText = 0
  let end: ScanEnd = 'failed'
  try {
    for (const [index, page] of scan.pages.entries()) {
      if (!(await mayGoOn(scan.total - scan.pages.length + index))) {
        end = 'stopped'
        return withText
      }
      if (await scan.read(page)) withText += 1
    }
    end = 'done'
    return withText
  } finally {
    await scan.close(end)
  }
}
