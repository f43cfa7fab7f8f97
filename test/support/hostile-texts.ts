const mebibyte = 1024 * 1024;
const fill = (unit: string) => unit.repeat(Math.ceil(mebibyte / unit.length)).slice(0, mebibyte);

/** Texts of 1 MiB that make patterns try again and again. */
export const hostile: [name: string, text: string][] = [
  ["plain words", fill("The quick brown fox jumps over the lazy dog. ")],
  ["one letter", fill("a")],
  ["hex", fill("0123456789abcdef")],
  ["dots", fill("a.")],
  ["at signs", fill("a@")],
  ["half an address", fill("a@a.")],
  ["a long local part", `${fill("a").slice(2)}@b`],
  ["addresses", fill("john.doe@example.com ")],
  ["eights", fill("8 8 8 8 8 8 8 8 8 8 x")],
  ["eights far apart", fill("8   8   8   8   8   8   8   8   8   8   x")],
  ["phone numbers", fill("+7 (912) 345-67-89 ")],
  ["bearers", fill("bearer ")],
  ["a bearer and spaces", `Bearer${fill(" ").slice(6)}`],
  ["names of assignments", fill("api_key  ").replace(/.$/, "=")],
  ["short assignments", fill("api_key=abcdefghijklmno ")],
  ["runs that are one too short", fill(`${"a".repeat(39)} `)],
  ["slashes", fill("/")],
  ["base64 with slashes", fill("aB1/")],
  ["slugs", fill("how-to-build-a-very-long-slug-for-your-blog ")],
  ["joints", fill("a-")],
  ["own prefixes", fill("sgt_")],
  ["hex ids", fill("01234567-89ab-cdef-0123-456789abcdef ")],
];
