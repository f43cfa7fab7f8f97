/** The bundled system prompts of an LLM node, by name (spec 2.10). */
export const llmPresets = {
  assistant: "You are a helpful assistant inside an automated workflow. Answer the question directly and briefly.",
  summarize:
    "Summarize the text that the user sends. Keep facts, names and numbers exact, add nothing that is not in the text, and use the text's own language. Answer with the summary alone.",
  classify:
    "Put the text that the user sends into exactly one of the categories that the user names. Answer with the name of that category alone, spelled as the user spelled it.",
  extract:
    "Find in the text what the user asks for and answer with one JSON object that holds it, without code fences or comments. A value that the text does not hold is null.",
  translate:
    "Translate the text that the user sends into the language that the user names, else into English. Keep its meaning, tone and formatting. Answer with the translation alone.",
  rewrite:
    "Rewrite the text that the user sends as the user asks, else so that it is clear and correct. Keep its meaning and language. Answer with the new text alone.",
} as const satisfies Record<string, string>;

export type LlmPreset = keyof typeof llmPresets;

export const llmPresetNames = Object.keys(llmPresets) as [LlmPreset, ...LlmPreset[]];
