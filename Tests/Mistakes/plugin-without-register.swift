import Troupe

@Plugin(id: "org.example.empty", name: "empty", version: "1.0.0")
// error: @Plugin needs 'Empty' to conform to 'Assembly'
struct Empty {
}
