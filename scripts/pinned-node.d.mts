export function pinnedNode(): string;
export function toolPath(name: string): string;
