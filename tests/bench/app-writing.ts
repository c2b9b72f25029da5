import type { Page } from '@playwright/test'

const KEYS = 300
/** Milliseconds between a fast typist's keys. */
const PACE = 90

/** Types in a note that both pages have open.
 *  @returns milliseconds from each key in one page to the frame with its letter in the other. */
export async function measureWriting(writer: Page, other: Page): Promise<number[]> {
  await writer.evaluate(() => {
    const pressed: number[] = []
    const note = ({ key }: KeyboardEvent) => {
      if (key === 'x') pressed.push(performance.timeOrigin + performance.now())
    }
    addEventListener('keydown', note, true)
    Object.assign(window, { pressed })
  })
  await other.evaluate(() => {
    const shown: number[] = []
    const text = document.querySelector('[contenteditable="true"]')
    if (!text) throw new Error('The note is not open for writing')
    // This letter occurs only in typed text, not in carets' names.
    const count = () => (text.textContent ?? '').split('x').length - 1
    new MutationObserver(() => {
      const letters = count()
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        // After the frame: the message was posted before it.
        port1.onmessage = () => {
          while (shown.length < letters) shown.push(performance.timeOrigin + performance.now())
        }
        port2.postMessage(null)
      })
    }).observe(text, { childList: true, characterData: true, subtree: true })
    Object.assign(window, { shown })
  })
  const text = writer.locator('[contenteditable="true"]')
  await text.press('Control+End')
  for (let key = 0; key < KEYS; key++) {
    await text.press('x')
    await writer.waitForTimeout(PACE)
  }
  await other.waitForFunction((keys) => (window as unknown as Marks).shown.length >= keys, KEYS)
  const pressed = await writer.evaluate(() => (window as unknown as Marks).pressed)
  const shown = await other.evaluate(() => (window as unknown as Marks).shown)
  return pressed.map((at, key) => (shown[key] ?? Number.NaN) - at)
}

type Marks = { readonly pressed: number[]; readonly shown: number[] }
