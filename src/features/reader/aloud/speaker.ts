import { type Sentence, sentencesOf } from './sentences.ts'

/** `ended`: the text is finished. `failed`: the browser couldn't speak. */
export type Speech = 'reading' | 'paused' | 'ended' | 'failed'

type SpeakerOptions = {
  readonly blocks: readonly (readonly Text[])[]
  /** BCP 47. */
  readonly language: string
  readonly voice: SpeechSynthesisVoice | undefined
  /** The rate, 1 is normal; read before each sentence. */
  readonly rate: () => number
  /** Called before each sentence, and with undefined at the end. */
  readonly onSentence: (sentence: Sentence | undefined) => void
  readonly onChange: (speech: Speech) => void
}

/** Speaks sentence by sentence. Pausing cancels and later repeats one: browsers differ in their own pause. */
export class Speaker {
  readonly #options: SpeakerOptions
  #block = 0
  #sentences: readonly Sentence[] = []
  #sentence = 0
  /** Kept here, because browsers may garbage-collect it before its end event. */
  #spoken: SpeechSynthesisUtterance | undefined

  /** @param begin Whether a sentence may be the first: those above the window are skipped. */
  constructor(options: SpeakerOptions, begin: (range: Range) => boolean) {
    this.#options = options
    const block = options.blocks.findIndex((nodes) => begin(rangeOver(nodes)))
    this.#go(Math.max(0, block))
    this.#sentence = Math.max(
      0,
      this.#sentences.findIndex(({ range }) => begin(range)),
    )
  }

  play(): void {
    const sentence = this.#sentences[this.#sentence]
    this.#options.onSentence(sentence)
    if (!sentence) {
      this.#end('ended')
      return
    }
    const { language, voice, rate, onChange } = this.#options
    const spoken = new SpeechSynthesisUtterance(sentence.text)
    spoken.lang = voice?.lang ?? language
    spoken.voice = voice ?? null
    spoken.rate = rate()
    // Canceling also fires an event, in some browsers an error.
    spoken.onend = () => spoken === this.#spoken && this.step(1)
    spoken.onerror = () => spoken === this.#spoken && this.#end('failed')
    this.#spoken = undefined
    speechSynthesis.cancel()
    this.#spoken = spoken
    speechSynthesis.speak(spoken)
    onChange('reading')
  }

  pause(): void {
    this.#end('paused')
  }

  step(by: 1 | -1): void {
    this.#sentence += by
    if (this.#sentence < 0) {
      const isFirst = this.#block === 0
      this.#go(Math.max(0, this.#block - 1))
      if (!isFirst) this.#sentence = this.#sentences.length - 1
    }
    while (this.#sentence >= this.#sentences.length && this.#block < this.#options.blocks.length)
      this.#go(this.#block + 1)
    this.play()
  }

  stop(): void {
    this.#spoken = undefined
    speechSynthesis.cancel()
    this.#options.onSentence(undefined)
  }

  #end(speech: Speech): void {
    this.#spoken = undefined
    speechSynthesis.cancel()
    this.#options.onChange(speech)
  }

  /** Splits blocks into sentences on demand: a book has tens of thousands. */
  #go(block: number): void {
    this.#block = block
    this.#sentence = 0
    this.#sentences = sentencesOf(this.#options.blocks[block] ?? [], this.#options.language)
  }
}

function rangeOver(nodes: readonly Text[]): Range {
  const [first, last] = [nodes[0], nodes.at(-1)]
  const range = (first?.ownerDocument ?? document).createRange()
  if (first && last) {
    range.setStartBefore(first)
    range.setEndAfter(last)
  }
  return range
}

/** Returns the device's preferred voice for a language, local before network. */
export function voiceFor(language: string, voices: readonly SpeechSynthesisVoice[]): SpeechSynthesisVoice | undefined {
  const fit = voices.filter(({ lang }) => lang.toLowerCase().split(/[-_]/)[0] === language.split('-')[0])
  return fit.find((voice) => voice.default) ?? fit.find((voice) => voice.localService) ?? fit[0]
}
