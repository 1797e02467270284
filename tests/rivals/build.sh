#!/usr/bin/env bash
# Builds each server alone, with its own features only, and prints where they are.
set -euo pipefail
cd "$(dirname "$0")"
for package in ours-server flymcprust-server rmcp-server; do
    cargo build --release --package "$package"
done
echo "$PWD/target/release"
