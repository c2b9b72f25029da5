import { type Sentence, sentencesOf } from './sentences.ts'

/** `ended`: the text is over. `failed`: the browser could not speak. */
export type Speech = 'reading' | 'paused' | 'ended' | 'failed'

type SpeakerOptions = {
  readonly blocks: readonly (readonly Text[])[]
  /** As BCP 47 has it. */
  readonly language: string
  readonly voice: SpeechSynthesisVoice | undefined
  /** How fast, 1 as a voice speaks by itself; asked before each sentence. */
  readonly rate: () => number
  /** Called with each sentence before it is spoken, with none in the end. */
  readonly onSentence: (sentence: Sentence | undefined) => void
  readonly onChange: (speech: Speech) => void
}

/** Speaks a text sentence by sentence. A pause ends the sentence's speech, which begins again afterwards: browsers do not agree on what
 *  their own pause does. */
export class Speaker {
  readonly #options: SpeakerOptions
  #block = 0
  #sentences: readonly Sentence[] = []
  #sentence = 0
  /** Held here, or else a browser may collect it before it tells of its end. */
  #spoken: SpeechSynthesisUtterance | undefined

  /** @param begin Whether a sentence may be the first one: what is above the window is passed over. */
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
    // What was cancelled ends too, in some browsers with an error.
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

  /** Goes on with the next sentence, or with the one before. */
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

  /** Blocks are divided into sentences only when it is their turn: a book has tens of thousands. */
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

/** The voice of a language that the device prefers, one of its own before one from the network. */
export function voiceFor(language: string, voices: readonly SpeechSynthesisVoice[]): SpeechSynthesisVoice | undefined {
  const fit = voices.filter(({ lang }) => lang.toLowerCase().split(/[-_]/)[0] === language.split('-')[0])
  return fit.find((voice) => voice.default) ?? fit.find((voice) => voice.localService) ?? fit[0]
}
