/** How the reading of a scan ended: with its last page, before it, or with an error. */
type ScanEnd = 'done' | 'stopped' | 'failed'

/** A scan that is being read. */
export type OpenScan = {
  /** The pages that are left. */
  readonly pages: readonly number[]
  /** All pages without text of their own. */
  readonly total: number
  /** Recognizes and stores a page; @returns whether it had text. */
  read(page: number): Promise<boolean>
  /** Gives it back. */
  close(end: ScanEnd): Promise<void>
}

/** Reads the pages that are left, one after the other.
 *  @param mayGoOn Asked before each page, and told how many are done.
 *  @returns how many pages had text. */
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
