import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

/** Replaces the device's voices, which test machines lack: records what is spoken, and ends it on demand. */
function speakInto(): void {
  const spoken: { text: string; rate: number; lang: string }[] = []
  let current: SpeechSynthesisUtterance | undefined
  const voice = { name: 'Ada', lang: 'en-GB', default: true, localService: true, voiceURI: 'ada' }
  class Utterance {
    text: string
    lang = ''
    rate = 1
    voice: unknown = null
    onend: (() => void) | null = null
    constructor(text: string) {
      this.text = text
    }
  }
  const synthesis = Object.assign(new EventTarget(), {
    getVoices: () => [voice],
    cancel: () => {
      current = undefined
    },
    speak: (utterance: SpeechSynthesisUtterance) => {
      current = utterance
      spoken.push({ text: utterance.text, rate: utterance.rate, lang: utterance.lang })
    },
  })
  Object.defineProperty(window, 'speechSynthesis', { value: synthesis })
  Object.assign(window, {
    SpeechSynthesisUtterance: Utterance,
    spoken,
    endSpeech: () => current?.onend?.(new Event('end') as SpeechSynthesisEvent),
    isSpeaking: () => current !== undefined,
  })
}

declare global {
  interface Window {
    spoken: { text: string; rate: number; lang: string }[]
    endSpeech: () => void
    isSpeaking: () => boolean
  }
}

test('a note is read aloud sentence by sentence, starting with the visible text', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  const rows = Array.from({ length: 60 }, (_, row) => `Row ${row} of the log is quiet. Nothing burns in it.`)
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'Lamps', body: `The **green** lamp burns. It is late.\n\n${rows.join('\n\n')}` })
    .throwOnError()
  await page.addInitScript(speakInto)
  await page.goto(`/l/${library}/d/${note.id}`)
  const texts = () => page.evaluate(() => window.spoken.map(({ text }) => text))
  const marked = () => page.evaluate(() => [...(CSS.highlights.get('spoken') ?? [])].map(String))

  await page.getByRole('button', { name: 'Actions for Lamps' }).click()
  await page.getByRole('menuitem', { name: 'Read aloud' }).click()
  await expect.poll(texts).toEqual(['The green lamp burns.'])
  expect(await marked()).toEqual(['The green lamp burns.'])
  await expectAccessible(page, 'reading aloud')

  await page.evaluate(() => window.endSpeech())
  expect(await texts()).toEqual(['The green lamp burns.', 'It is late.'])
  await page.getByRole('button', { name: 'Previous sentence' }).click()
  expect((await texts()).at(-1)).toBe('The green lamp burns.')

  // Resuming repeats the sentence at the new rate.
  await page.locator('body').press('a')
  expect(await page.evaluate(() => window.isSpeaking())).toBe(false)
  await page.getByLabel('Speed').click()
  await page.getByRole('option', { name: '1.5' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  expect(await page.evaluate(() => window.spoken.at(-1))).toEqual({
    text: 'The green lamp burns.',
    rate: 1.5,
    lang: 'en-GB',
  })

  // Sentences below the window are scrolled into view.
  for (let sentence = 0; sentence < 40; sentence += 1) await page.evaluate(() => window.endSpeech())
  const last = (await texts()).at(-1) ?? ''
  expect(await marked()).toEqual([last])
  await expect
    .poll(() =>
      page.evaluate(() =>
        [...(CSS.highlights.get('spoken') ?? [])].map((range) => (range as Range).getBoundingClientRect().top),
      ),
    )
    .toEqual([expect.closeTo(360, -3)])
  await page.getByRole('button', { name: 'Stop reading aloud' }).click()
  expect(await page.evaluate(() => window.isSpeaking())).toBe(false)
  expect(await marked()).toEqual([])

  // The position is restored after a reload.
  await expect
    .poll(
      async () =>
        (await signedIn.client.from('reading_positions').select('share').eq('document_id', note.id).maybeSingle()).data
          ?.share,
    )
    .toBeGreaterThan(0.1)
  await page.reload()
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(300)
  await page.locator('body').press('a')
  await expect
    .poll(async () => (await texts())[0])
    .toMatch(/^(?:Row (?:1\d|2\d) of the log is quiet|Nothing burns in it)\.$/)

  // Writing ends it for good.
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeVisible()
  expect(await page.evaluate(() => window.isSpeaking())).toBe(false)
  await expect(page.getByRole('button', { name: 'Stop reading aloud' })).toHaveCount(0)
  await page.goto(`/l/${library}`)
  expect(await page.evaluate(() => window.isSpeaking())).toBe(false)
})
