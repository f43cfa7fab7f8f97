import { describe, expect, it } from "vitest";
import { readItemPath } from "./item-path.ts";

describe("a path into an item", () => {
  const paths: [text: string, path: (string | number)[]][] = [
    ["price", ["price"]],
    ["a.b[0]", ["a", "b", 0]],
    ['["odd key"]', ["odd key"]],
    ["item.price", ["item", "price"]],
    ["{{item.price}}", ["price"]],
    ["{{ item.a.b[0] }}", ["a", "b", 0]],
    ["{{item}}", []],
    ["__proto__", ["__proto__"]],
  ];
  it.each(paths)("%s is %j", (text, path) => expect(readItemPath(text)).toEqual(path));

  const malformed: [text: string, message: string][] = [
    ["", "is empty: write a path into the item, such as price"],
    ["a b", 'is no path, at character 3: unexpected "b"'],
    ["a..b", 'is no path, at character 3: unexpected "."'],
    ["{{price}}", "write price or {{item.price}}"],
    ["{{item.price}} EUR", "write price or {{item.price}}"],
    ["{{item.a}}{{item.b}}", "write price or {{item.price}}"],
    ["{{item.}}", "write price or {{item.price}}"],
    ["{{order.total}}", "write price or {{item.price}}"],
  ];
  it.each(malformed)("%j is refused", (text, message) => {
    expect(readItemPath(text)).toMatchObject({ message: expect.stringContaining(message) as string });
  });
});
